"""A host registers again, and decisions about it: what the record keeps, what it drops, which events they make."""

from __future__ import annotations

from typing import Any

import pytest

from agent.api.hosts import DiskSelection, DiskSkipFormatting, HostRegister, HostUpdate, NodeLabel
from agent.model.intent import Role, RootDeviceHints
from agent.model.states import HostStatus
from node0.changes.host_registration import register_host
from node0.changes.host_update import update_host
from node0.reconcile.reconcile import reconcile
from node0.reconcile.timers import Timers
from node0.reconcile.transaction import Transaction
from node0.refusals import BadRequest
from node0.state_machine.host import DISCOVERY, PREPARING
from node0.store.records import HostRecord
from node0.validations.host.hardware.no_boot_loop import STARTS
from tests.fakes.node0.clock import ManualClock
from tests.fakes.node0.records import HOST_ID, INFRA_ENV_ID, NOW, PREPARED, host, site

REPORTED = {**PREPARED, "boot_id": "one", "starts": (NOW,)}


def register(before: HostRecord, *boots: str) -> Transaction:
    """The host's agent registers once for each of these boot ids."""
    transaction = Transaction(site(before), Timers(ManualClock()), NOW)
    for boot_id in boots:
        register_host(INFRA_ENV_ID, HostRegister(host_id=HOST_ID, boot_id=boot_id), token_id="new")(transaction)
    return transaction


def registered(before: HostRecord, *boots: str) -> HostRecord:
    return register(before, *boots).records.hosts[HOST_ID]


@pytest.mark.parametrize("status", sorted(DISCOVERY | PREPARING))
def test_a_restart_of_the_agent_alone_keeps_every_report(status: HostStatus) -> None:
    before = host(status, **REPORTED)
    after = registered(before, "one")
    assert (after.status, after.inventory, after.images) == (status, before.inventory, before.images)
    assert after.starts == (NOW,)


def test_an_unresponsive_host_whose_agent_returns_keeps_its_reports() -> None:
    transaction = register(host(HostStatus.DISCONNECTED, **REPORTED), "one")
    assert reconcile(transaction.records, transaction.timers, NOW).hosts[HOST_ID].status is HostStatus.KNOWN


@pytest.mark.parametrize("boot_id", ["two", ""])
def test_a_machine_that_started_again_is_discovered_again(boot_id: str) -> None:
    """The same holds without a boot id: upstream's agent does not report one."""
    after = registered(host(**REPORTED), boot_id)
    assert (after.status, after.inventory, after.images) == (HostStatus.DISCOVERING, None, None)


def test_a_host_that_was_reset_is_discovered_again_without_another_start() -> None:
    after = registered(host(HostStatus.RESETTING, **REPORTED), "one")
    assert (after.status, after.inventory) == (HostStatus.DISCOVERING, None)


def test_starts_of_a_host_are_counted_and_the_last_few_are_kept() -> None:
    assert len(registered(host(), "one", "one", "two").starts) == 2
    assert len(registered(host(), *map(str, range(10))).starts) == STARTS
    assert registered(host(), "").starts == ()


def updated(before: HostRecord, **changes: Any) -> tuple[HostRecord, list[tuple[str, str]]]:
    """The host after the PATCH, and the name and message of each event."""
    transaction = Transaction(site(before), Timers(ManualClock()), NOW)
    update_host(INFRA_ENV_ID, HOST_ID, HostUpdate(**changes))(transaction)
    return transaction.records.hosts[HOST_ID], [(event.name, event.message) for event in transaction.events]


def skip(disk_id: str, *, skip_formatting: bool = True) -> DiskSkipFormatting:
    return DiskSkipFormatting(disk_id=disk_id, skip_formatting=skip_formatting)


VDB = DiskSelection(id="/dev/vdb")
SAMSUNG = RootDeviceHints(model="samsung")
DISK = "host_installation_disk_updated"


@pytest.mark.parametrize(
    ("changes", "name", "words"),
    [
        ({"host_name": "first"}, "host_name_updated", "Host node0: is called first now"),
        ({"host_role": Role.WORKER}, "host_role_updated", "Host node0: calculated role is worker"),
        ({"approved": False}, "host_approved_updated", "Host node0: not approved any more"),
        ({"disks_selected_config": (VDB,)}, DISK, "Host node0: installation disk: /dev/vdb"),
        ({"root_device_hints": SAMSUNG}, DISK, "Host node0: installation disk: model samsung"),
        (
            {"node_labels": (NodeLabel(key="example.test/rack", value="a1"),)},
            "host_node_labels_updated",
            "Host node0: labels of its node: example.test/rack=a1",
        ),
        (
            {"disks_skip_formatting": (skip("/dev/vda"), skip("sdb"))},
            "host_skip_formatting_updated",
            "Host node0: disks that are not formatted: /dev/vda, sdb",
        ),
    ],
)
def test_each_decision_makes_an_event(changes: dict[str, Any], name: str, words: str) -> None:
    assert updated(host(), **changes)[1] == [(name, words)]


def test_a_repeated_decision_makes_no_event() -> None:
    same = {"host_name": "node0", "host_role": Role.MASTER, "approved": True, "disks_skip_formatting": ()}
    assert updated(host(), **same)[1] == []


@pytest.mark.parametrize(("key", "value"), [("a b", "c"), ("a", "-"), ("a\n", ""), ("A.test/a", ""), ("a", "b" * 64)])
def test_a_text_that_is_no_label_is_refused(key: str, value: str) -> None:
    """Kubernetes would otherwise refuse all labels of the node at the end of the install."""
    with pytest.raises(BadRequest, match="not a label"):
        updated(host(), node_labels=(NodeLabel(key=key, value=value),))


def test_the_disk_of_the_inputs_comes_with_the_approval() -> None:
    hints = RootDeviceHints(device_name="/dev/vda")
    _, events = updated(host(approved=False), approved=True, root_device_hints=hints)
    assert [name for name, _ in events] == ["host_approved_updated"]


def test_skipping_formatting_changes_only_the_named_disks() -> None:
    before = host(untouched_disks=("/dev/vda", "/dev/vdb"))
    changes = (skip("/dev/vda", skip_formatting=False), skip("/dev/vdc"))
    assert updated(before, disks_skip_formatting=changes)[0].untouched_disks == ("/dev/vdb", "/dev/vdc")


def test_decisions_about_disks_survive_a_reboot_of_the_host() -> None:
    assert registered(host(untouched_disks=("/dev/vda",), **REPORTED), "two").untouched_disks == ("/dev/vda",)
