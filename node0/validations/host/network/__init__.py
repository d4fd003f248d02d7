"""The host's own network: its NICs, addresses and routes."""
