"""Many simulated hosts against the real service over TLS: what it costs, and that every install ends the same."""
