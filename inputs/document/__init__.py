"""YAML documents whose values know where they stand, and findings that point there."""
