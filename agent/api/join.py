"""What a host gets from node0 to become a node: for one approved host, valid for minutes and for one join."""

from __future__ import annotations

import msgspec


class JoinCredential(msgspec.Struct, frozen=True, kw_only=True):
    """Secret: it goes from node0 to this host over the pinned TLS and nowhere else.

    api_endpoint: ADDRESS:PORT of the Kubernetes API. ca_certificate: PEM, of the cluster's CA. token: a bootstrap
    token, `id.secret`; expires_at: RFC 3339. node_name, address: what the host is called as a node, and its own
    address in a machine network. control_plane_files: path below /etc/kubernetes/pki → PEM; empty for a worker.
    etcd_endpoint: ADDRESS:PORT of a member of etcd that runs; empty for a worker. schedulable: ordinary pods may run on
    control planes, because the cluster has no worker.
    """

    api_endpoint: str
    ca_certificate: str
    token: str
    expires_at: str
    node_name: str
    address: str
    control_plane_files: dict[str, str] = {}
    etcd_endpoint: str = ""
    schedulable: bool = False

    @property
    def is_control_plane(self) -> bool:
        return bool(self.control_plane_files)

    def __repr__(self) -> str:
        return f"JoinCredential({self.node_name}, expires {self.expires_at})"
