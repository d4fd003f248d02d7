"""Failed tests between hosts: which there are, when their reports are read, and the lines about them."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from agent.api.checks import ConnectivityReport, L2Connectivity, L3Connectivity, MtuReport, RemoteHost, TcpReport
from agent.api.clusters import Cluster
from agent.api.hosts import Host, ValidationResult
from agent.model.states import ClusterStatus, EventSeverity, HostStatus, ValidationStatus
from client.observe.peer_failures import PeerFailure, hosts_with_peer_failures, peer_failures
from client.wait_for import changes
from client.wait_for.lines import LineKind

ARP = L2Connectivity(outgoing_nic="eth0", remote_ip_address="192.0.2.12")
ECHO = L3Connectivity(outgoing_nic="eth0", remote_ip_address="192.0.2.12")
MTU = MtuReport(outgoing_nic="eth0", remote_ip_address="192.0.2.12")
PORT = TcpReport(remote_ip_address="192.0.2.12", port=6443)
changed = msgspec.structs.replace


def host(id: str, *failing: str) -> Host:
    checks = [ValidationResult(id=check, status=ValidationStatus.FAILURE, message="") for check in failing]
    return Host(
        id=id, href="", infra_env_id="", status=HostStatus.INSUFFICIENT, status_info="",
        requested_hostname=f"host-{id}",
        validations_info=msgspec.json.encode({"network": checks}).decode(),
    )  # fmt: skip


def cluster(*hosts: Host) -> Cluster:
    return Cluster(id="", href="", name="demo", status=ClusterStatus.INSUFFICIENT, status_info="", hosts=hosts)


@pytest.mark.parametrize(
    ("remote", "interface", "test", "brief"),
    [
        ({"l2_connectivity": (ARP,)}, "eth0", "no ARP or neighbour answer", "ARP eth0"),
        ({"l2_connectivity": (changed(ARP, remote_mac="52:54:00:00:00:99"),)}, "eth0",
         "52:54:00:00:00:99 answers for this address", "ARP eth0"),
        ({"l2_connectivity": (changed(ARP, remote_ip_address="2001:db8::12"),)}, "eth0", "no ARP or neighbour answer",
         "NDP eth0"),
        ({"l3_connectivity": (ECHO,)}, "eth0", "no echo", "ping eth0"),
        ({"l3_connectivity": (changed(ECHO, remote_ip_address="2001:db8::12"),)}, "eth0", "no echo", "ping6 eth0"),
        ({"l3_connectivity": (changed(ECHO, successful=True, packet_loss_percentage=20),)}, "eth0",
         "20 % of echoes lost", "ping loss eth0"),
        ({"mtu_report": (MTU,)}, "eth0", "a packet of the whole MTU does not arrive", "MTU eth0"),
        ({"tcp_connectivity": (PORT,)}, "", "TCP port 6443 is blocked", "TCP 6443"),
    ],
)  # fmt: skip
def test_every_kind_of_peer_failure(remote: dict[str, Any], interface: str, test: str, brief: str) -> None:
    remote_host = changed(RemoteHost(host_id="b"), **remote)
    (found,) = peer_failures(cluster(host("a"), host("b")), {"a": ConnectivityReport(remote_hosts=(remote_host,))})
    (address,) = {report.remote_ip_address for reports in remote.values() for report in reports}
    assert found == PeerFailure("host-a", "host-b", address, interface, test, brief)


def test_successful_tests_and_removed_hosts_are_no_failures() -> None:
    good = RemoteHost(host_id="b", l3_connectivity=(changed(ECHO, successful=True),))
    removed = RemoteHost(host_id="z", l3_connectivity=(ECHO,))
    report = ConnectivityReport(remote_hosts=(good, removed))
    assert peer_failures(cluster(host("a"), host("b")), {"a": report}) == frozenset()


def test_only_reports_of_hosts_with_peer_failures_are_read() -> None:
    seen = cluster(host("a", "belongs-to-majority-group"), host("b", "has-default-route"), host("c"))
    assert [found.id for found in hosts_with_peer_failures(seen)] == ["a"]


def test_a_failure_has_a_line_when_it_starts_and_when_it_ends() -> None:
    pair = PeerFailure("alpha", "beta", "192.0.2.12", "eth0", "no echo", "ping eth0")
    broken, matrix = changes.peer_failures(frozenset(), frozenset({pair}))
    assert (broken.host, broken.peer, broken.severity) == ("alpha", "beta", EventSeverity.WARNING)
    assert broken.message == "to beta, 192.0.2.12 through eth0: no echo"
    assert (matrix.kind, matrix.matrix) == (LineKind.MATRIX, {"alpha": {"beta": ("ping eth0",)}})
    recovered, end = changes.peer_failures(frozenset({pair}), frozenset())
    assert recovered.severity is EventSeverity.INFO
    assert end.message == "No pair of hosts fails any more."
    assert list(changes.peer_failures(frozenset({pair}), frozenset({pair}))) == []


def test_other_percentages_give_no_new_matrix() -> None:
    some, more = (PeerFailure("alpha", "beta", "192.0.2.12", "eth0", f"{loss} % of echoes lost", "ping loss eth0")
                  for loss in (20, 40))  # fmt: skip
    lines = list(changes.peer_failures(frozenset({some}), frozenset({more})))
    assert [line.kind for line in lines] == [LineKind.PEER_FAILURE, LineKind.PEER_FAILURE]
