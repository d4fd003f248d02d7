"""Every host validation: facts with which it succeeds or fails, and its message."""

from __future__ import annotations

import msgspec
import pytest

from agent.api.checks import ImageStatus, UserVerdict
from agent.api.steps import NtpSource
from agent.model.intent import Role
from agent.model.inventory import Cpu, Memory
from agent.model.states import ValidationStatus
from node0 import validations
from node0.validations.engine.evaluation import failing
from node0.validations.engine.facts import HostFacts
from node0.validations.engine.identities import SameIdentity
from node0.validations.engine.validation import Gate, Validation
from tests.fakes.agent.agent import GIB, inventory
from tests.fakes.node0.host_facts import (
    USB,
    VDA,
    boots,
    disks,
    facts,
    hinted,
    made_by,
    measured,
    memory,
    nics,
    on,
    resolving,
    sized,
    started,
    truncated,
    untouched,
    with_inventory,
)
from tests.fakes.node0.records import PREPARED, SPEC, host

VALIDATIONS = {item.id: item for item in validations.HOST_VALIDATIONS}
S = ValidationStatus

LOST = ImageStatus(name="registry.k8s.io/etcd:3.5", result="failure")


@pytest.mark.parametrize(
    ("id", "facts", "status", "words"),
    [
        ("connected", facts(host()), S.SUCCESS, ""),
        ("connected", facts(host(), unresponsive=True), S.FAILURE, "stopped checking in"),
        ("has-inventory", facts(host()), S.SUCCESS, ""),
        ("has-inventory", facts(host(inventory=None)), S.PENDING, ""),
        ("has-min-cpu-cores", facts(host()), S.SUCCESS, "has 2 CPU cores"),
        ("has-min-cpu-cores", facts(with_inventory(cpu=Cpu(count=0))), S.FAILURE, "has 0 CPU cores; any host needs 1"),
        ("has-cpu-cores-for-role", facts(host()), S.SUCCESS, ""),
        ("has-cpu-cores-for-role", facts(with_inventory(cpu=Cpu(count=1))), S.FAILURE, "a control-plane host needs 2"),
        ("has-min-memory", facts(memory(2 * GIB)), S.SUCCESS, ""),
        ("has-min-memory", facts(memory(1.9 * GIB)), S.FAILURE, "1.90 GiB of memory; any host needs 2 GiB"),
        ("has-memory-for-role", facts(memory(4 * GIB)), S.SUCCESS, ""),
        ("has-memory-for-role", facts(memory(4 * GIB - 100 * 2**20)), S.SUCCESS, ""),
        ("has-memory-for-role", facts(memory(4 * GIB - 101 * 2**20)), S.FAILURE, "3.90 GiB of memory; a control-plane"),
        ("has-memory-for-role", facts(memory(4 * GIB * 0.96, "meminfo")), S.SUCCESS, ""),
        ("media-connected", facts(host()), S.SUCCESS, ""),
        ("media-connected", facts(host(media_connected=False)), S.FAILURE, "cannot read the medium"),
        ("inventory-not-partially-truncated", facts(host()), S.SUCCESS, ""),
        ("inventory-not-partially-truncated", facts(truncated("partial")), S.FAILURE, "15000 disks"),
        ("inventory-not-fully-truncated", facts(truncated("partial")), S.SUCCESS, ""),
        ("inventory-not-fully-truncated", facts(truncated("full")), S.FAILURE, "15000 disks"),
        ("compatible-with-cluster-platform", facts(host()), S.SUCCESS, ""),
        ("compatible-with-cluster-platform", facts(host(), spec=on("vsphere")), S.FAILURE, "made by vmware"),
        ("compatible-with-cluster-platform", facts(made_by("VMware, Inc."), spec=on("vsphere")), S.SUCCESS, ""),
        ("machine-cidr-defined", facts(host(), spec=on("baremetal")), S.SUCCESS, "127.0.0.0/8"),
        ("machine-cidr-defined", facts(host(), spec=on("baremetal", machine_networks=())), S.FAILURE, ""),
        ("valid-platform-network-settings", facts(host()), S.SUCCESS, ""),
        ("valid-platform-network-settings", facts(made_by("", "OpenStack Compute")), S.FAILURE, "OpenStack"),
        ("machine-id-unique", facts(host()), S.SUCCESS, ""),
        (
            "machine-id-unique",
            facts(with_inventory(machine_id="ab12"), same_identity=SameIdentity(1, 2, 1)),
            S.FAILURE,
            "1 more hosts",
        ),
        ("product-uuid-unique", facts(made_by(uuid="03000200")), S.SUCCESS, ""),
        (
            "product-uuid-unique",
            facts(made_by(uuid="03000200"), same_identity=SameIdentity(1, 1, 3)),
            S.FAILURE,
            "2 more hosts",
        ),
        ("swap-off", facts(host()), S.SUCCESS, ""),
        ("swap-off", facts(with_inventory(memory=Memory(swap_bytes=512 * 2**20))), S.FAILURE, "512 MiB"),
        ("boot-order-sane", facts(host()), S.SUCCESS, "does not report"),
        ("boot-order-sane", facts(boots("disk", "network")), S.SUCCESS, "tries disk 0 first"),
        ("boot-order-sane", facts(boots("other", "network", "disk")), S.FAILURE, "network first: network 1"),
        ("no-boot-loop", facts(started(0, 5)), S.SUCCESS, ""),
        ("no-boot-loop", facts(started(0, 15, 31)), S.SUCCESS, ""),
        ("no-boot-loop", facts(started(0, 5, 12)), S.FAILURE, "3 times within 12 minutes"),
        ("no-skip-installation-disk", facts(untouched("/dev/vdz")), S.SUCCESS, ""),
        ("no-skip-installation-disk", facts(untouched(VDA.by_path)), S.FAILURE, f"/dev/vda, but {VDA.by_path} must"),
        ("no-skip-missing-disk", facts(untouched("/dev/vda")), S.SUCCESS, ""),
        ("no-skip-missing-disk", facts(untouched("/dev/vda", "/dev/vdz")), S.FAILURE, "no disk /dev/vdz"),
        ("network-as-configured", facts(host()), S.SUCCESS, "up as configured"),
        (
            "network-as-configured",
            facts(with_inventory(network_problems=("eth1 is not up",))),
            S.FAILURE,
            "eth1 is not",
        ),
        ("non-overlapping-subnets", facts(host()), S.SUCCESS, ""),
        ("non-overlapping-subnets", facts(nics("192.0.2.1/24", "198.51.100.1/24")), S.SUCCESS, ""),
        ("non-overlapping-subnets", facts(nics("192.0.2.1/24", "192.0.2.200/25")), S.FAILURE, "192.0.2.0/24 on eth0"),
        ("container-images-available", facts(host(**PREPARED)), S.SUCCESS, "All 1"),
        ("container-images-available", facts(host(images=(LOST,))), S.FAILURE, "etcd:3.5"),
        ("sufficient-installation-disk-speed", facts(host(**PREPARED)), S.SUCCESS, "take 2 ms or less"),
        ("sufficient-installation-disk-speed", facts(measured(25)), S.SUCCESS, "Warning: 99 of 100"),
        ("sufficient-installation-disk-speed", facts(measured(None)), S.FAILURE, "/dev/vda could not be measured: EIO"),
        ("dns-wildcard-not-configured", facts(resolving()), S.SUCCESS, ""),
        ("dns-wildcard-not-configured", facts(resolving("validateNoWildcardDNS")), S.FAILURE, "DNS answers 192.0.2.9"),
        (
            "api-domain-name-resolved-correctly",
            facts(resolving("api")),
            S.SUCCESS,
            "api.demo.example.test resolves to",
        ),
        ("api-domain-name-resolved-correctly", facts(resolving()), S.FAILURE, ""),
        ("api-int-domain-name-resolved-correctly", facts(resolving("api-int")), S.SUCCESS, ""),
        ("apps-domain-name-resolved-correctly", facts(resolving("apps")), S.SUCCESS, ""),
        ("has-min-valid-disks", facts(disks(VDA, USB)), S.SUCCESS, "1 of 2 disks"),
        ("has-min-valid-disks", facts(disks()), S.ERROR, "no disk"),
        ("has-min-valid-disks", facts(disks(sized(39), USB)), S.FAILURE, "39 GB, 40 GB are needed"),
        ("has-min-valid-disks", facts(disks(sized(39), role=Role.WORKER)), S.SUCCESS, ""),
        ("installation-disk", facts(disks(USB, VDA)), S.SUCCESS, "/dev/vda is the best"),
        ("installation-disk", facts(disks(VDA, requested=VDA.by_path)), S.SUCCESS, "/dev/vda"),
        ("installation-disk", facts(disks(VDA, requested="/dev/vdz")), S.FAILURE, "/dev/vda, /dev/disk/by-path/pci"),
        ("installation-disk", facts(disks(VDA, requested="/dev/vdz")), S.FAILURE, "it is not /dev/vdz"),
        ("installation-disk", facts(hinted(model="qemu disk")), S.SUCCESS, "model qemu disk was requested: /dev/vda"),
        ("installation-disk", facts(hinted(model="samsung")), S.FAILURE, "it does not match model"),
        (
            "installation-disk",
            facts(hinted(min_size_gigabytes=9)),
            S.SUCCESS,
            "matches 2 disks; /dev/vda is used before",
        ),
        ("installation-disk", facts(disks(VDA, USB, requested="/dev/sda")), S.FAILURE, "it is removable"),
        ("hostname-valid", facts(host()), S.SUCCESS, "node0"),
        ("hostname-valid", facts(host(requested_hostname="Node_0")), S.FAILURE, "Node_0"),
        ("hostname-valid", facts(with_inventory(hostname="localhost")), S.FAILURE, "cannot be called localhost"),
        ("hostname-valid", facts(host(inventory=None)), S.PENDING, ""),
        ("hostname-unique", facts(host()), S.SUCCESS, ""),
        (
            "hostname-unique",
            facts(host(), same_identity=SameIdentity(2, 1, 1)),
            S.FAILURE,
            "1 more hosts are called node0",
        ),
        ("hostname-unique", facts(host(approved=False), same_identity=SameIdentity(1, 1, 1)), S.FAILURE, ""),
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
def test_each_host_validation_has_its_verdict(id: str, facts: HostFacts, status: ValidationStatus, words: str) -> None:
    verdict = VALIDATIONS[id].verdict(facts)
    assert verdict.status is status
    assert words in verdict.message
    assert verdict.remedy or status in {S.SUCCESS, S.PENDING}


def test_without_a_machine_network_no_address_is_checked() -> None:
    without_networks = facts(host(), spec=msgspec.structs.replace(SPEC, machine_networks=()))
    assert not VALIDATIONS["belongs-to-machine-cidr"].applies(without_networks)


@pytest.mark.parametrize("validation", validations.HOST_VALIDATIONS, ids=list(VALIDATIONS))
def test_before_the_inventory_no_host_validation_fails(validation: Validation[HostFacts]) -> None:
    fresh = facts(host(inventory=None, clock_offset=None))
    if validation.applies(fresh):
        assert validation.verdict(fresh).status is not S.FAILURE or validation.gate is Gate.SHOWN


def test_each_check_of_the_user_is_a_validation() -> None:
    verdict = UserVerdict(id="asset-tag", status=S.FAILURE, message="No asset tag.", remedy="Stick one on.")
    evaluated = validations.evaluate_host_validations(facts(host(user_checks=(verdict,))))
    (own,) = [item for item in evaluated if item.category == "user"]
    assert (own.result.id, own.result.status) == ("user-asset-tag", S.FAILURE)
    assert failing(evaluated)[Gate.SUFFICIENT] == ("No asset tag. Stick one on.",)
    assert failing(evaluated, {"user-asset-tag"}) == {Gate.SHOWN: failing(evaluated)[Gate.SHOWN]}


def test_a_check_of_the_user_that_does_not_gate_is_shown() -> None:
    verdict = UserVerdict(id="warm", status=S.FAILURE, message="Warm.", gates=False)
    evaluated = validations.evaluate_host_validations(facts(host(user_checks=(verdict,))))
    assert Gate.SUFFICIENT not in failing(evaluated)
    assert "Warm." in failing(evaluated)[Gate.SHOWN]
