"""Kubernetes for one release: its binaries and container images in one directory, described by a manifest."""
