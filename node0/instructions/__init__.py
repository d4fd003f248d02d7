"""The steps that a host is asked for, and their arguments."""
