"""The matrix of failing pairs: which tests are in it, and when it is asked for."""

from __future__ import annotations

import msgspec
import pytest

from agent.api.checks import ConnectivityReport, L2Connectivity, L3Connectivity, MtuReport, RemoteHost, TcpReport
from agent.api.resources import Cluster, Host, Validation
from agent.api.states import ClusterStatus, HostStatus, Severity, ValidationStatus
from image_build.wait_for.changes import pairs
from image_build.wait_for.pairs import Pair, failing_pairs, in_trouble

ARP = L2Connectivity(outgoing_nic="eth0", remote_ip_address="192.0.2.12")
ECHO = L3Connectivity(outgoing_nic="eth0", remote_ip_address="192.0.2.12")
MTU = MtuReport(outgoing_nic="eth0", remote_ip_address="192.0.2.12")
PORT = TcpReport(remote_ip_address="192.0.2.12", port=6443)
changed = msgspec.structs.replace


def host(id: str, *failing: str) -> Host:
    checks = [Validation(id=check, status=ValidationStatus.FAILURE, message="") for check in failing]
    return Host(
        id=id, href="", infra_env_id="", status=HostStatus.INSUFFICIENT, status_info="",
        requested_hostname=f"host-{id}",
        validations_info=msgspec.json.encode({"network": checks}).decode(),
    )  # fmt: skip


def cluster(*hosts: Host) -> Cluster:
    return Cluster(id="", href="", name="demo", status=ClusterStatus.INSUFFICIENT, status_info="", hosts=hosts)


@pytest.mark.parametrize(
    ("remote", "interface", "test"),
    [
        ({"l2_connectivity": (ARP,)}, "eth0", "no ARP or neighbour answer"),
        ({"l2_connectivity": (changed(ARP, remote_mac="52:54:00:00:00:99"),)}, "eth0",
         "52:54:00:00:00:99 answers for this address"),
        ({"l3_connectivity": (ECHO,)}, "eth0", "no echo"),
        ({"l3_connectivity": (changed(ECHO, successful=True, packet_loss_percentage=20),)}, "eth0",
         "20 % of echoes lost"),
        ({"mtu_report": (MTU,)}, "eth0", "a packet of the whole MTU does not arrive"),
        ({"tcp_connectivity": (PORT,)}, "", "TCP port 6443 is blocked"),
    ],
)  # fmt: skip
def test_every_kind_of_test(remote: dict[str, object], interface: str, test: str) -> None:
    seen = changed(RemoteHost(host_id="b"), **remote)
    found = failing_pairs(cluster(host("a"), host("b")), {"a": ConnectivityReport(remote_hosts=(seen,))})
    assert found == {Pair("host-a", "host-b", "192.0.2.12", interface, test)}


def test_what_holds_and_who_has_gone_are_not_in_it() -> None:
    good = RemoteHost(host_id="b", l3_connectivity=(changed(ECHO, successful=True),))
    gone = RemoteHost(host_id="z", l3_connectivity=(ECHO,))
    report = ConnectivityReport(remote_hosts=(good, gone))
    assert failing_pairs(cluster(host("a"), host("b")), {"a": report}) == frozenset()


def test_only_hosts_with_trouble_between_hosts_are_asked() -> None:
    seen = cluster(host("a", "belongs-to-majority-group"), host("b", "has-default-route"), host("c"))
    assert [found.id for found in in_trouble(seen)] == ["a"]


def test_a_pair_is_told_when_it_breaks_and_when_it_holds_again() -> None:
    pair = Pair("alpha", "beta", "192.0.2.12", "eth0", "no echo")
    (broken,) = pairs(frozenset(), frozenset({pair}))
    assert (broken.host, broken.peer, broken.severity) == ("alpha", "beta", Severity.WARNING)
    assert broken.message == "to beta, 192.0.2.12 through eth0: no echo"
    (mended,) = pairs(frozenset({pair}), frozenset())
    assert mended.severity is Severity.INFO
    assert list(pairs(frozenset({pair}), frozenset({pair}))) == []
