"""Records as clients see them: the schemas of assisted-service."""
