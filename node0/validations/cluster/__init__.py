"""Validations of the cluster; each file is named after the id."""
