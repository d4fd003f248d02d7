"""Validations of a host; a file is named after the id."""
