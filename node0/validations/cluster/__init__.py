"""Validations of the cluster; a file is named after the id."""
