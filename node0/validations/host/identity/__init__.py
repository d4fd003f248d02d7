"""Names and ids that must be unique in the cluster."""
