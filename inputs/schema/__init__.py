"""The fields of install-config.yaml and agent-config.yaml: types, defaults, unsupported fields."""
