"""Writes the inputs as `cluster-manifests/`."""
