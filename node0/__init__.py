"""The host that leads: the assisted service, the `create-cluster` driver and the bootstrap."""
