"""A machine as a file: what this host tells node0 of itself, kept so that tests can replay it anywhere."""
