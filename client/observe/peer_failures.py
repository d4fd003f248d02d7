"""Connectivity tests between two hosts that fail: from which host, to which, by which interface and address."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from agent.api.checks import ConnectivityReport, RemoteHost
from agent.api.clusters import Cluster
from agent.api.hosts import Host
from client.remote.checks import failing_checks
from client.remote.hosts import host_name
from node0.validations import HOST_VALIDATIONS
from node0.validations.engine.facts import has_peers

ABOUT_PEERS = frozenset(validation.id for validation in HOST_VALIDATIONS if validation.applies is has_peers)
"""Validations that are evaluated from the connectivity report; while they hold, its failures do no harm."""


@dataclass(frozen=True, order=True)
class PeerFailure:
    """`test`: what failed, as a phrase; `brief`: in a word or two. `interface` is empty where the test has none."""

    host: str
    peer: str
    address: str
    interface: str
    test: str
    brief: str


def hosts_with_peer_failures(cluster: Cluster) -> Iterator[Host]:
    """Hosts that fail a validation about their connectivity to others."""
    names = {host for host, check in failing_checks(cluster) if check in ABOUT_PEERS}
    return (host for host in cluster.hosts if host_name(host) in names)


def peer_failures(cluster: Cluster, reports: Mapping[str, ConnectivityReport]) -> frozenset[PeerFailure]:
    """`reports`: host id → what the host saw of the others."""
    names = {host.id: host_name(host) for host in cluster.hosts}
    return frozenset(
        PeerFailure(names[host_id], names[remote.host_id], *failed)
        for host_id, report in reports.items()
        for remote in report.remote_hosts
        if host_id in names and remote.host_id in names
        for failed in _failed(remote)
    )


def _failed(remote: RemoteHost) -> Iterable[tuple[str, str, str, str]]:
    """(address, interface, test, brief) of every test that failed."""
    for arp in remote.l2_connectivity:
        if not arp.successful:
            words = f"{arp.remote_mac} answers for this address" if arp.remote_mac else "no ARP or neighbour answer"
            name = "NDP" if _is_ipv6(arp.remote_ip_address) else "ARP"
            yield arp.remote_ip_address, arp.outgoing_nic, words, f"{name} {arp.outgoing_nic}"
    for echo in remote.l3_connectivity:
        name = "ping6" if _is_ipv6(echo.remote_ip_address) else "ping"
        if not echo.successful:
            yield echo.remote_ip_address, echo.outgoing_nic, "no echo", f"{name} {echo.outgoing_nic}"
        elif echo.packet_loss_percentage:
            words = f"{echo.packet_loss_percentage:g} % of echoes lost"
            yield echo.remote_ip_address, echo.outgoing_nic, words, f"{name} loss {echo.outgoing_nic}"
    for packet in remote.mtu_report:
        if not packet.mtu_successful:
            words = "a packet of the whole MTU does not arrive"
            yield packet.remote_ip_address, packet.outgoing_nic, words, f"MTU {packet.outgoing_nic}"
    for port in remote.tcp_connectivity:
        if not port.successful:
            yield port.remote_ip_address, "", f"TCP port {port.port} is blocked", f"TCP {port.port}"


def _is_ipv6(address: str) -> bool:
    return ":" in address
