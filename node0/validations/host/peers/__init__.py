"""The connections between hosts."""
