"""`DIR/cluster-manifests/`: the content of the two input files as manifests of the agent-based installer.

`field_mappings` maps fields in both directions; docs/cluster-manifests.md is the page for users. Fields that the
manifests do not have are in cluster0.yaml, with their names in the input files.
"""

DIRECTORY = "cluster-manifests"
