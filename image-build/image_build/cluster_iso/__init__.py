"""`cluster0 create image`: from two YAML files and a base ISO to this cluster's ISO and its credentials."""
