"""What the rules read: the valid values of the two files, at paths that are checked against the models."""
