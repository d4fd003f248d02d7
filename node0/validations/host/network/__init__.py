"""The host's own network."""
