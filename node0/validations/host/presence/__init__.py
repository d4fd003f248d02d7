"""Whether the host checks in and has reported its inventory."""
