"""The largest report that node0 accepts of a host: reconciling it takes in proportion, and quotes little of it."""

from __future__ import annotations

import time
from collections.abc import Callable

import msgspec
import pytest

from agent.api.checks import (
    ConnectivityReport,
    ImagesReply,
    ImageStatus,
    L2Connectivity,
    L3Connectivity,
    MtuReport,
    RemoteHost,
    TcpReport,
)
from agent.api.steps import NtpReply, NtpSource, StepType
from agent.model.inventory import Disk, Interface, Inventory, InventoryRoute, Truncation
from node0.changes.step_results import PARSERS
from node0.reconcile.reconcile import reconcile
from node0.reconcile.timers import Timers
from node0.state_machine.transition import LONGEST_WHY
from node0.store.records import HostRecord
from node0.validations.engine.validation import LONGEST
from tests.fakes.agent.agent import inventory
from tests.fakes.node0.clock import ManualClock
from tests.fakes.node0.records import HOST_ID, NOW, host, site

MARK = len(" […]")


def with_parts(**parts: object) -> Inventory:
    return msgspec.structs.replace(inventory(), **parts)


def nics_in_one_network(count: int) -> Inventory:
    addresses = [f"10.{n >> 8}.{n & 255}.1/8" for n in range(count)]
    return with_parts(interfaces=tuple(Interface(name=f"e{n}", ipv4_addresses=(a,)) for n, a in enumerate(addresses)))


def nics_in_nested_networks(count: int) -> Inventory:
    addresses = [f"fd00::{n:x}/{16 + n % 112}" for n in range(count)]
    return with_parts(interfaces=tuple(Interface(name=f"e{n}", ipv6_addresses=(a,)) for n, a in enumerate(addresses)))


def useless_disks(count: int) -> Inventory:
    return with_parts(disks=tuple(Disk(id=f"d{n}", name=f"d{n}", path=f"/dev/d{n}") for n in range(count)))


def routes(count: int) -> Inventory:
    return with_parts(routes=tuple(InventoryRoute(interface=f"e{n}", destination="192.0.2.0") for n in range(count)))


def problems_of_the_network(count: int) -> Inventory:
    return with_parts(network_problems=("x" * 4000,) * count)


def truncations(count: int) -> Inventory:
    return with_parts(truncation=Truncation(type="full", reasons=("x" * 1000,) * count))


def unreached_peers(count: int) -> ConnectivityReport:
    return ConnectivityReport(remote_hosts=tuple(RemoteHost(host_id=f"peer-{n}") for n in range(count)))


def bad_paths_to_a_peer(count: int) -> ConnectivityReport:
    nic, address = "eth0", "192.0.2.1"
    path = L3Connectivity(
        outgoing_nic=nic, remote_ip_address=address, successful=True, average_rtt_ms=2000, packet_loss_percentage=50
    )
    remote = RemoteHost(
        host_id="peer",
        l2_connectivity=tuple(
            L2Connectivity(outgoing_nic=nic, remote_ip_address=address, remote_mac=f"mac-{n}") for n in range(count)
        ),
        l3_connectivity=(path,) * count,
        mtu_report=(MtuReport(outgoing_nic=nic, remote_ip_address=address),) * count,
        tcp_connectivity=tuple(TcpReport(remote_ip_address=address, port=n) for n in range(count)),
    )
    return ConnectivityReport(remote_hosts=(remote,))


def missing_images(count: int) -> ImagesReply:
    return ImagesReply(images=tuple(ImageStatus(name=f"image-{n}", result="failure") for n in range(count)))


def time_sources(count: int) -> NtpReply:
    return NtpReply(ntp_sources=tuple(NtpSource(source_name=f"ntp-{n}", source_state="error") for n in range(count)))


# Step, a report with so many parts, and how many parts are accepted.
LARGEST: list[tuple[StepType, Callable[[int], object], int]] = [
    (StepType.INVENTORY, nics_in_one_network, 512),
    (StepType.INVENTORY, nics_in_nested_networks, 512),
    (StepType.INVENTORY, useless_disks, 1024),
    (StepType.INVENTORY, routes, 2048),
    (StepType.INVENTORY, problems_of_the_network, 256),
    (StepType.INVENTORY, truncations, 64),
    (StepType.CONNECTIVITY_CHECK, unreached_peers, 2048),
    (StepType.CONNECTIVITY_CHECK, bad_paths_to_a_peer, 1024),
    (StepType.CONTAINER_IMAGE_AVAILABILITY, missing_images, 1024),
    (StepType.NTP_SYNCHRONIZER, time_sources, 64),
]
REPORTS = pytest.mark.parametrize(
    ("step", "report", "most"), LARGEST, ids=[report.__name__ for _, report, _ in LARGEST]
)


def reconciled(step: StepType, report: object) -> tuple[dict[str, HostRecord], float]:
    """A host that has sent the report, its peer that has sent the same, and the seconds of CPU that both took."""
    output = msgspec.json.encode(report).decode()
    started = time.thread_time()
    fields = PARSERS[step](output)
    reporting = msgspec.structs.replace(host(), **fields)
    peer = msgspec.structs.replace(host(id="peer"), **fields)
    hosts = reconcile(site(reporting, peer), Timers(ManualClock()), NOW).hosts
    return dict(hosts), time.thread_time() - started


@REPORTS
def test_one_part_more_is_refused(step: StepType, report: Callable[[int], object], most: int) -> None:
    with pytest.raises((ValueError, msgspec.ValidationError)):
        PARSERS[step](msgspec.json.encode(report(most + 1)).decode())


@REPORTS
def test_messages_quote_little_of_a_large_report(step: StepType, report: Callable[[int], object], most: int) -> None:
    hosts, _ = reconciled(step, report(most))
    results = [item.result for found in hosts.values() for item in found.validations]
    assert max(len(result.message) for result in results) <= LONGEST + MARK
    assert max(len(found.status_info) for found in hosts.values()) <= LONGEST_WHY + MARK


@REPORTS
def test_twice_the_parts_take_at_most_three_times_as_long(
    step: StepType, report: Callable[[int], object], most: int
) -> None:
    def seconds(count: int) -> float:
        return min(reconciled(step, report(count))[1] for _ in range(3))

    fixed = seconds(1)
    assert seconds(most) - fixed < 3 * max(seconds(most // 2) - fixed, fixed)


def test_the_host_of_the_tests_is_the_one_that_reports() -> None:
    hosts, _ = reconciled(StepType.INVENTORY, nics_in_one_network(3))
    found = {item.result.id: item.result.message for item in hosts[HOST_ID].validations}
    assert found["non-overlapping-subnets"] == "Overlapping: 10.0.0.0/8 on e0 and 10.0.0.0/8 on e1, e2."
