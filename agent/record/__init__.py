"""A machine as a file: what this host reports to node0, so that tests can replay it anywhere."""
