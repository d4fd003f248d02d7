"""Validations of a host; each file is named after the id."""
