"""Recorded machines, replayed: what node0 says of them, and hosts that answer the real service as they did."""
