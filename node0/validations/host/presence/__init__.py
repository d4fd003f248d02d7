"""Whether the host is there and has said what it is."""
