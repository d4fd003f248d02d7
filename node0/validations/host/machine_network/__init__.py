"""The host's place in the machine network."""
