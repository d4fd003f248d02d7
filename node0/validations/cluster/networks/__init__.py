"""The networks of the cluster."""
