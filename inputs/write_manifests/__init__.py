"""The inputs written as `cluster-manifests/`."""
