"""A machine as a file: what this host reports to node0, so that it can be replayed anywhere."""
