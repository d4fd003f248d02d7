"""The host in the machine network."""
