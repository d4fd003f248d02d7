"""Recorded machines, replayed: hosts that answer the real service as they did."""
