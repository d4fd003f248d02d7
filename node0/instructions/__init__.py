"""The steps that a host is instructed to run, and their arguments."""
