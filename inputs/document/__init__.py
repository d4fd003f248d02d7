"""YAML documents with the position of every value, and findings that point to it."""
