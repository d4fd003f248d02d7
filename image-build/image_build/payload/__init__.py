"""One release of Kubernetes: its binaries and container images in one directory, described by a manifest."""
