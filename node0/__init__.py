"""The programs of node0: the assisted service, the driver `create-cluster` and the bootstrap."""
