"""What this host is made of, one collector a file; reading apart from parsing, so that records can be replayed."""
