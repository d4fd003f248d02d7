"""Names that the host resolves."""
