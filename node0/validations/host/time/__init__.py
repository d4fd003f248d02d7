"""The host's clock."""
