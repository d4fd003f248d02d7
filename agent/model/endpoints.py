"""Ports of Kubernetes, and addresses with their ports as URLs and Kubernetes' configuration write them."""

from __future__ import annotations

API_PORT = 6443
"""Of the Kubernetes API."""
ETCD_PORT, ETCD_PEER_PORT = 2379, 2380
KUBELET_PORT = 10250


def ports_between_hosts(*, is_control_plane: bool) -> tuple[int, ...]:
    """The TCP ports at which other hosts reach a host."""
    control_plane = (API_PORT, ETCD_PORT, ETCD_PEER_PORT) if is_control_plane else ()
    return (*control_plane, KUBELET_PORT)


def endpoint(address: str, port: int = API_PORT) -> str:
    """`ADDRESS:PORT`, with brackets around an IPv6 address."""
    return f"[{address}]:{port}" if ":" in address else f"{address}:{port}"


def api_url(address: str) -> str:
    """The URL of the Kubernetes API at this address."""
    return f"https://{endpoint(address)}"
