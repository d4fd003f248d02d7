"""Addresses with their ports, as URLs and Kubernetes' configuration write them."""

from __future__ import annotations

API_PORT = 6443
"""Of the Kubernetes API."""


def endpoint(address: str, port: int = API_PORT) -> str:
    """`ADDRESS:PORT`, with brackets around an IPv6 address."""
    return f"[{address}]:{port}" if ":" in address else f"{address}:{port}"
