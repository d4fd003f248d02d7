"""Validations between hosts: three hosts, and a failure between two of them."""

from __future__ import annotations

import msgspec
import pytest

from agent.api.checks import ConnectivityReport, L2Connectivity, L3Connectivity, MtuReport, RemoteHost, TcpReport
from agent.model.intent import Role
from agent.model.states import HostStatus, ValidationStatus
from node0.changes.step_results import PARSERS
from node0.reconcile.reconcile import reconcile
from node0.reconcile.timers import Timers
from node0.store.records import HostRecord, Records
from node0.validations.host.peers.belongs_to_majority_group import majority_group
from tests.fakes.agent.agent import inventory
from tests.fakes.node0.clock import ManualClock
from tests.fakes.node0.records import NOW, host, site

IDS = ("a", "b", "c")
GOOD = L3Connectivity(outgoing_nic="eth0", remote_ip_address="127.0.0.1", successful=True, average_rtt_ms=1)
DEAD = msgspec.structs.replace(GOOD, successful=False, packet_loss_percentage=100)


def remote_host(id: str, **changes: object) -> RemoteHost:
    remote = RemoteHost(
        host_id=id,
        l3_connectivity=(GOOD,),
        l2_connectivity=(
            L2Connectivity(outgoing_nic="eth0", remote_ip_address="127.0.0.1", remote_mac=mac(id), successful=True),
        ),
    )
    return msgspec.structs.replace(remote, **changes)


def mac(id: str) -> str:
    return f"52:54:00:00:00:0{id}"


def three(*exceptions: tuple[str, RemoteHost], role: Role = Role.WORKER) -> Records:
    """The records of three hosts; `exceptions`: a host, and a view that replaces its good one."""
    replaced = {(viewer, remote.host_id): remote for viewer, remote in exceptions}
    hosts = []
    for own in IDS:
        views = tuple(replaced.get((own, other), remote_host(other)) for other in IDS if other != own)
        machine = inventory(mac=mac(own), hostname=own)
        discovered = host(
            HostStatus.DISCOVERING, id=own, inventory=machine, role=role, requested_hostname=f"host-{own}"
        )
        output = msgspec.json.encode(ConnectivityReport(remote_hosts=views)).decode()
        hosts.append(msgspec.structs.replace(discovered, **PARSERS["connectivity-check"](output)))
    return reconciled(site(*hosts))


def reconciled(records: Records) -> Records:
    return reconcile(records, Timers(ManualClock()), NOW)


def verdict(records: Records, id: str, validation_id: str) -> tuple[ValidationStatus, str]:
    (found,) = [item.result for item in records.hosts[id].validations if item.result.id == validation_id]
    return found.status, found.message


def test_hosts_that_reach_each_other_pass() -> None:
    records = three()
    assert {item.status for item in records.hosts.values()} == {HostStatus.KNOWN}
    assert records.hosts["a"].peers == ("b", "c")


@pytest.mark.parametrize(
    ("view", "validation_id", "failing", "words"),
    [
        (
            remote_host("b", l3_connectivity=(DEAD,)),
            "reverse-path-valid",
            "b",
            "host-b reaches host-a, but host-a does not",
        ),
        (remote_host("b", l3_connectivity=(DEAD,)), "belongs-to-majority-group", "a", "does not reach host-b"),
        (
            remote_host("b", mtu_report=(MtuReport(outgoing_nic="eth0", remote_ip_address="127.0.0.1"),)),
            "mtu-valid",
            "a",
            "host-a to host-b",
        ),
        (
            remote_host("b", tcp_connectivity=(TcpReport(remote_ip_address="127.0.0.1", port=10250),)),
            "ports-between-hosts-open",
            "a",
            "host-b on TCP 10250",
        ),
        (
            remote_host("b", l3_connectivity=(msgspec.structs.replace(GOOD, average_rtt_ms=1001),)),
            "sufficient-network-latency-requirement-for-role",
            "a",
            "host-b at 127.0.0.1: 1001.0 ms",
        ),
        (
            remote_host("b", l3_connectivity=(msgspec.structs.replace(GOOD, packet_loss_percentage=20),)),
            "sufficient-packet-loss-requirement-for-role",
            "a",
            "20 %",
        ),
        (
            remote_host(
                "b",
                l2_connectivity=(
                    L2Connectivity(outgoing_nic="eth0", remote_ip_address="127.0.0.1", remote_mac=mac("b")),
                    L2Connectivity(outgoing_nic="eth0", remote_ip_address="127.0.0.1", remote_mac="02:00:00:00:00:99"),
                ),
            ),
            "no-ip-collisions-in-network",
            "b",
            "answered by 02:00:00:00:00:99",
        ),
    ],
)
def test_a_failure_between_two_hosts_is_named(view: RemoteHost, validation_id: str, failing: str, words: str) -> None:
    """`view` is host a's report about host b."""
    records = three(("a", view))
    status, message = verdict(records, failing, validation_id)
    assert status is ValidationStatus.FAILURE
    assert words in message
    assert records.hosts[failing].status is HostStatus.INSUFFICIENT
    assert (
        verdict(records, "c", validation_id)[0] is ValidationStatus.SUCCESS
        or validation_id == "belongs-to-majority-group"
    )


def test_thresholds_depend_on_the_role() -> None:
    slow = ("a", remote_host("b", l3_connectivity=(msgspec.structs.replace(GOOD, average_rtt_ms=101),)))
    validation_id = "sufficient-network-latency-requirement-for-role"
    assert verdict(three(slow), "a", validation_id)[0] is ValidationStatus.SUCCESS
    assert verdict(three(slow, role=Role.MASTER), "a", validation_id)[0] is ValidationStatus.FAILURE


def test_a_peer_without_a_report_is_waited_for() -> None:
    records = three()
    late = host(HostStatus.DISCOVERING, id="d", inventory=inventory(hostname="d"), role=Role.WORKER)
    records = reconciled(msgspec.structs.replace(records, hosts={**records.hosts, "d": late}))
    status, message = verdict(records, "a", "belongs-to-majority-group")
    assert status is ValidationStatus.PENDING
    assert "connectivity to node0" in message or "connectivity to d" in message


def test_in_a_large_cluster_each_host_reaches_the_control_planes_and_some_neighbours() -> None:
    crowd = [host(HostStatus.DISCOVERING, id=f"{n:04}", role=Role.WORKER) for n in range(100)]
    leaders = [host(HostStatus.DISCOVERING, id=f"m{n}", role=Role.MASTER) for n in range(3)]
    records = reconciled(site(*crowd, *leaders))
    assert {len(item.peers) for item in records.hosts.values()} <= {8, 9, 10, 11}
    assert {"m0", "m1", "m2"} <= set(records.hosts["0050"].peers)


def cut(id: str, *unreachable: str) -> HostRecord:
    return host(id=id, unreachable=unreachable)


@pytest.mark.parametrize(
    ("hosts", "group"),
    [
        ([cut("a"), cut("b"), cut("c")], "abc"),
        ([cut("a", "d"), cut("b", "d"), cut("c"), cut("d")], "abc"),
        ([cut("a"), cut("b"), cut("c"), cut("d", "a", "b", "c")], "abc"),
        ([cut("a", "c", "d"), cut("b", "c", "d"), cut("c"), cut("d"), cut("e", "c", "d")], "abe"),
    ],
)
def test_the_majority_group_leaves_out_hosts_that_are_cut_off_from_most(hosts: list[HostRecord], group: str) -> None:
    assert majority_group(hosts) == set(group)
