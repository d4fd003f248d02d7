"""`/metrics` for Prometheus."""
