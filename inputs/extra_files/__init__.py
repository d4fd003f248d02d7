"""The user's files beside the two YAML files: manifests, checks, mirrors, certificates."""
