"""The user's extra files: manifests, checks, mirrors, certificates."""
