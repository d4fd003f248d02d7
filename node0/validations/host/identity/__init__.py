"""Names and ids that only one host may have."""
