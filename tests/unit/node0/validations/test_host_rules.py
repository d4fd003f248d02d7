"""Every host validation: when it holds, when it does not, and what it says then."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from agent.api import resources as r
from agent.api.intent import Role
from agent.api.inventory import Cpu, Disk, Eligibility, Memory
from agent.api.states import ValidationStatus
from agent.api.steps import NtpSource
from node0 import validations
from node0.store.records import HostRecord
from node0.validations.facts import HostFacts
from node0.validations.rule import Gate, Rule
from tests.fakes.agent import GIB, inventory
from tests.fakes.records import ASKED, cluster, host

RULES = {rule.id: rule for rule in validations.HOST_RULES}
S = ValidationStatus

VDA = inventory().disks[0]
USB = msgspec.structs.replace(
    VDA,
    id="usb",
    name="sda",
    path="/dev/sda",
    by_path="/dev/disk/by-path/usb-1",
    installation_eligibility=Eligibility(not_eligible_reasons=("it is removable",)),
)


def with_inventory(**changes: Any) -> HostRecord:
    return host(inventory=msgspec.structs.replace(inventory(), **changes))


def facts(host: HostRecord, *, asked: r.ClusterCreate = ASKED, silent: bool = False, **names: int) -> HostFacts:
    return HostFacts(host=host, cluster=cluster(asked=asked), names=names or {"node0": 1}, is_silent=silent)


def memory(size: float, method: str = "ghw") -> HostRecord:
    return with_inventory(memory=Memory(physical_bytes=int(size), physical_bytes_method=method))


def disks(*disks: Disk, wish: str = "", role: Role = Role.MASTER) -> HostRecord:
    return msgspec.structs.replace(with_inventory(disks=disks), requested_disk=wish, role=role)


def sized(gb: int) -> Disk:
    return msgspec.structs.replace(VDA, size_bytes=gb * 10**9)


@pytest.mark.parametrize(
    ("rule", "facts", "status", "words"),
    [
        ("connected", facts(host()), S.SUCCESS, ""),
        ("connected", facts(host(), silent=True), S.FAILURE, "does not call"),
        ("has-inventory", facts(host()), S.SUCCESS, ""),
        ("has-inventory", facts(host(inventory=None)), S.PENDING, ""),
        ("has-min-cpu-cores", facts(host()), S.SUCCESS, "has 2 CPU cores"),
        ("has-min-cpu-cores", facts(with_inventory(cpu=Cpu(count=1))), S.FAILURE, "has 1 CPU cores; a control-plane"),
        ("has-min-memory", facts(memory(4 * GIB)), S.SUCCESS, ""),
        ("has-min-memory", facts(memory(4 * GIB - 100 * 2**20)), S.SUCCESS, ""),
        ("has-min-memory", facts(memory(4 * GIB - 101 * 2**20)), S.FAILURE, "3.90 GiB of memory; a control-plane"),
        ("has-min-memory", facts(memory(4 * GIB * 0.96, "meminfo")), S.SUCCESS, ""),
        ("has-min-valid-disks", facts(disks(VDA, USB)), S.SUCCESS, "1 of 2 disks"),
        ("has-min-valid-disks", facts(disks()), S.ERROR, "no disk"),
        ("has-min-valid-disks", facts(disks(sized(39), USB)), S.FAILURE, "39 GB, 40 GB are needed"),
        ("has-min-valid-disks", facts(disks(sized(39), role=Role.WORKER)), S.SUCCESS, ""),
        ("installation-disk", facts(disks(USB, VDA)), S.SUCCESS, "/dev/vda is the best"),
        ("installation-disk", facts(disks(VDA, wish=VDA.by_path)), S.SUCCESS, "/dev/vda"),
        ("installation-disk", facts(disks(VDA, wish="/dev/vdz")), S.FAILURE, "/dev/vdz names no disk"),
        ("installation-disk", facts(disks(VDA, USB, wish="/dev/sda")), S.FAILURE, "it is removable"),
        ("hostname-valid", facts(host()), S.SUCCESS, "node0"),
        ("hostname-valid", facts(host(requested_hostname="Node_0")), S.FAILURE, "Node_0"),
        ("hostname-valid", facts(with_inventory(hostname="localhost")), S.FAILURE, "cannot be called localhost"),
        ("hostname-valid", facts(host(inventory=None)), S.PENDING, ""),
        ("hostname-unique", facts(host()), S.SUCCESS, ""),
        ("hostname-unique", facts(host(), node0=2), S.FAILURE, "1 more hosts are called node0"),
        ("hostname-unique", facts(host(approved=False), node0=1), S.FAILURE, ""),
        ("has-default-route", facts(host()), S.SUCCESS, "eth0"),
        ("has-default-route", facts(with_inventory(routes=())), S.FAILURE, "no default route"),
        ("belongs-to-machine-cidr", facts(host()), S.SUCCESS, "127.0.0.1/8"),
        ("belongs-to-machine-cidr", facts(host(inventory=inventory(address="192.0.2.7"))), S.FAILURE, "192.0.2.7"),
        ("time-synced-between-host-and-service", facts(host()), S.SUCCESS, ""),
        ("time-synced-between-host-and-service", facts(host(clock_offset=None)), S.PENDING, ""),
        ("time-synced-between-host-and-service", facts(host(clock_offset=-20 * 60)), S.FAILURE, "20 minutes behind"),
        ("time-synced-between-host-and-service", facts(host(clock_offset=59 * 60)), S.SUCCESS, ""),
        ("time-synced-between-host-and-service", facts(host(clock_offset=60 * 60)), S.FAILURE, "60 minutes ahead"),
        ("ntp-synced", facts(host()), S.FAILURE, "none known"),
        (
            "ntp-synced",
            facts(host(ntp_sources=(NtpSource(source_name="192.0.2.123", source_state="synced"),))),
            S.SUCCESS,
            "192.0.2.123",
        ),
    ],
)
def test_verdict(rule: str, facts: HostFacts, status: ValidationStatus, words: str) -> None:
    verdict = RULES[rule].check(facts)
    assert verdict.status is status
    assert words in verdict.message
    assert verdict.remedy or status in {S.SUCCESS, S.PENDING}


def test_without_a_machine_network_no_host_has_to_be_in_it() -> None:
    anywhere = facts(host(), asked=msgspec.structs.replace(ASKED, machine_networks=()))
    assert not RULES["belongs-to-machine-cidr"].applies(anywhere)


@pytest.mark.parametrize("rule", validations.HOST_RULES, ids=list(RULES))
def test_before_the_inventory_nothing_fails(rule: Rule[HostFacts]) -> None:
    verdict = rule.check(facts(host(inventory=None, clock_offset=None)))
    assert verdict.status is not S.FAILURE or rule.gate is Gate.SHOWN


def test_ids_are_unique() -> None:
    ids = [rule.id for rule in validations.HOST_RULES] + [rule.id for rule in validations.CLUSTER_RULES]
    assert len(set(ids)) == len(ids)
