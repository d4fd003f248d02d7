"""`DIR/cluster-manifests/`: the same as the two input files, as the manifests of the agent-based installer.

`rows` is the correspondence, in both directions; `cluster-manifests.md` in `image-build/` tells it to users. What the
manifests have no place for is in a file of our own, with the names it has in the input files.
"""

DIRECTORY = "cluster-manifests"
