"""What node0 says of a recorded machine."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from agent.api.checks import ConnectivityReport, L3Connectivity, MtuReport, Peer, PeerNic, RemoteHost
from agent.install.layout import Layout, Part
from agent.install.probe import DiskContent, Found
from agent.model.intent import HostIntent, Role, RootDeviceHints
from agent.model.inventory import Interface
from agent.model.problems import Problem
from agent.model.states import ValidationStatus
from agent.record.machine import MachineRecord
from agent.record.peers import RecordedPeer
from node0.validations import HOST_VALIDATIONS
from replay.judge.basis import Basis, by_role
from replay.judge.checks import BEYOND_A_RECORD
from replay.judge.judge import MASKED_REMEDY, judge
from replay.judge.judgement import Judgement
from replay.recorded import machines
from replay.site import host_intent, make_intent

RACK, BOX, SMALL = (machines()[name] for name in ("rack-server", "edge-box", "too-small"))
BOX_MAC = "00:e0:4c:00:00:01"
MASTER = by_role(Role.MASTER)


def basis(*hosts: HostIntent, machine_network: str = "192.0.2.0/24") -> Basis:
    intent = make_intent(hosts=hosts, masters=max(1, len(hosts)))
    return Basis(msgspec.structs.replace(intent, machine_networks=(machine_network,)))


def box(**changes: Any) -> HostIntent:
    """The host of the inputs that edge-box is."""
    intent = host_intent(name="alpha", mac=BOX_MAC, disk="/dev/sda")
    return msgspec.structs.replace(intent, **changes)


def codes(judgement: Judgement) -> list[str]:
    return [obstacle.code for obstacle in judgement.obstacles]


def left_out(judgement: Judgement) -> set[str]:
    return {left.id for left in judgement.not_evaluated}


def test_a_machine_that_is_good_enough_has_no_obstacle() -> None:
    found = judge(BOX, MASTER)
    assert codes(found) == []
    assert {check.id for check in found.checks if check.status is ValidationStatus.FAILURE} == {"ntp-synced"}
    assert [(disk.path, disk.place) for disk in found.disks] == [("/dev/sda", 1), ("/dev/sdb", 0)]
    assert "it is the installation medium" in found.disks[1].why_not


def test_each_validation_is_evaluated_or_has_the_reason_why_not() -> None:
    found = judge(BOX, MASTER)
    assert {check.id for check in found.checks} | left_out(found) == {each.id for each in HOST_VALIDATIONS}
    assert all(left.why for left in found.not_evaluated)
    assert BEYOND_A_RECORD.keys() <= {each.id for each in HOST_VALIDATIONS}


def test_a_machine_that_is_too_small_has_an_obstacle_for_each_reason() -> None:
    assert {"has-memory-for-role", "has-cpu-cores-for-role", "installation-disk"} <= set(codes(judge(SMALL, MASTER)))


def test_the_role_decides_what_a_machine_needs() -> None:
    inventory = msgspec.structs.replace(BOX.inventory, cpu=msgspec.structs.replace(BOX.inventory.cpu, count=1))
    one_core = msgspec.structs.replace(BOX, inventory=inventory)
    assert codes(judge(one_core, MASTER)) == ["has-cpu-cores-for-role"]
    assert codes(judge(one_core, by_role(Role.WORKER))) == []


def test_the_inputs_host_with_its_macs_gives_name_role_and_hints() -> None:
    found = judge(BOX, basis(box(role=Role.WORKER), host_intent(name="beta", mac="52:54:00:00:00:77")))
    assert (found.host, found.role, found.interfaces) == ("alpha", Role.WORKER, {"eth0": "enp1s0"})
    assert BOX_MAC in found.why
    words = {check.id: check.message for check in found.checks}
    assert words["hostname-valid"] == "The host is called alpha."
    assert words["installation-disk"] == "deviceName /dev/sda was requested: /dev/sda."


def test_hints_choose_the_disk() -> None:
    hints = RootDeviceHints(rotational=False)
    mac = next(nic.mac_address for nic in RACK.inventory.interfaces if nic.name == "eno2")
    host = msgspec.structs.replace(host_intent(name="alpha", mac=mac), root_device_hints=hints)
    disks = judge(RACK, basis(host)).disks
    assert [disk.path for disk in disks if disk.place] == ["/dev/nvme0n1", "/dev/nvme1n1"]
    assert {disk.why_not for disk in disks if disk.drive_type == "HDD"} == {("it does not match rotational",)}


def test_a_hint_that_no_disk_fits_is_an_obstacle() -> None:
    found = judge(BOX, basis(box(root_device_hints=RootDeviceHints(model="Samsung"))))
    assert codes(found) == ["installation-disk"]
    assert [disk.place for disk in found.disks] == [0, 0]


def test_a_machine_that_the_inputs_do_not_list_is_left_out() -> None:
    unmasked = msgspec.structs.replace(BOX, masked=False)
    found = judge(unmasked, basis(host_intent(name="alpha", mac="00:e0:4c:00:00:91")))
    assert (found.host, codes(found)) == ("", ["host-unknown"])
    assert "alpha lists 00:e0:4c:00:00:91" in found.obstacles[0].detail


def test_the_macs_of_a_masked_record_are_not_held_against_it() -> None:
    other = basis(host_intent(name="alpha", mac="52:54:00:00:00:91", disk="/dev/sda"))
    assert judge(BOX, other).obstacles[0].remedy == MASKED_REMEDY
    found = judge(BOX, Basis(other.intent, host=other.intent.hosts[0]))
    assert (found.host, codes(found)) == ("alpha", [])


def test_an_infiniband_nic_matches_no_host() -> None:
    infiniband = Interface(name="ib0", mac_address=":".join(["a0"] * 20), type="ipoib")
    inventory = msgspec.structs.replace(BOX.inventory, interfaces=(infiniband,))
    found = judge(msgspec.structs.replace(BOX, inventory=inventory), basis(box()))
    assert codes(found)[0] == "host-unknown"


def test_inputs_without_hosts_take_every_machine() -> None:
    found = judge(BOX, basis())
    assert (found.host, found.role, codes(found)) == ("", Role.MASTER, [])


def test_the_machine_network_of_the_inputs_is_checked() -> None:
    assert codes(judge(BOX, basis(box()))) == []
    assert codes(judge(BOX, basis(box(), machine_network="198.51.100.0/24"))) == ["belongs-to-machine-cidr"]


OLD_DATA = DiskContent(
    path="/dev/sda",
    size=256 * 10**9,
    found=(Found("/dev/sda", False, 256 * 10**9), Found("/dev/sda1", True, 10**11, "ntfs", "Windows")),
)


def test_data_on_the_disk_needs_consent() -> None:
    record = msgspec.structs.replace(BOX, contents=(OLD_DATA,))
    refused = judge(record, basis(box()))
    assert codes(refused) == ["disk-has-data"]
    assert refused.disks[0].content == ("/dev/sda1  100.0 GB  ntfs 'Windows'",)
    assert refused.disks[1].content is None
    assert codes(judge(record, basis(box(consent_to_wipe=True)))) == []


def test_what_an_install_of_this_cluster_left_on_the_disk_needs_no_consent() -> None:
    inputs = basis(box())
    layout = Layout(disk="/dev/sda", cluster_id=inputs.intent.cluster_id, host_id=BOX.host_id)
    boot = Found("/dev/sda3", True, 10**9, "ext4", "cluster0-boot", layout.guid(Part.BOOT))
    own = msgspec.structs.replace(BOX, contents=(DiskContent("/dev/sda", 256 * 10**9, (boot,)),))
    assert codes(judge(own, inputs)) == []
    assert codes(judge(own, basis(box()))) == ["disk-has-data"]  # of another cluster


def with_peer(*reports: RemoteHost, role: Role = Role.MASTER) -> MachineRecord:
    nics = (PeerNic(name="eno1", mac="52:54:00:00:00:02", ip_addresses=("192.0.2.42",)),)
    peers = (RecordedPeer(role=role, peer=Peer(host_id="beta", nics=nics)),)
    measured = ConnectivityReport(remote_hosts=reports) if reports else None
    return msgspec.structs.replace(BOX, peers=peers, connectivity=measured)


def seen(*, rtt: float = 0.3, whole: bool = True, answers: bool = True) -> RemoteHost:
    echo = L3Connectivity(outgoing_nic="enp1s0", remote_ip_address="192.0.2.42", successful=answers, average_rtt_ms=rtt)
    mtu = MtuReport(outgoing_nic="enp1s0", remote_ip_address="192.0.2.42", mtu_successful=whole)
    return RemoteHost(host_id="beta", l3_connectivity=(echo,), mtu_report=(mtu,))


def test_the_recorded_connectivity_is_judged() -> None:
    found = judge(with_peer(seen()), MASTER)
    assert codes(found) == []
    assert {"mtu-valid", "belongs-to-majority-group"} <= {check.id for check in found.checks}
    assert {"reverse-path-valid", "no-ip-collisions-in-network", "hostname-unique"} <= left_out(found)
    assert codes(judge(with_peer(seen(whole=False)), MASTER)) == ["mtu-valid"]
    assert codes(judge(with_peer(seen(answers=False)), MASTER)) == ["belongs-to-majority-group"]


def test_the_latency_counts_between_hosts_of_one_role() -> None:
    slow = "sufficient-network-latency-requirement-for-role"
    assert codes(judge(with_peer(seen(rtt=300)), MASTER)) == [slow]
    assert codes(judge(with_peer(seen(rtt=300), role=Role.WORKER), MASTER)) == []


def test_hosts_that_were_not_looked_for_are_waited_for() -> None:
    found = judge(with_peer(), MASTER)
    assert codes(found) == []
    assert {left.why for left in found.not_evaluated if left.id == "mtu-valid"} == {"Waiting for connectivity to beta."}


def test_a_machine_is_not_its_own_peer() -> None:
    intent = basis(box(hostname="beta")).intent
    found = judge(with_peer(seen(answers=False)), Basis(intent, host=intent.hosts[0]))
    assert codes(found) == []


@pytest.mark.parametrize(
    ("record", "code"),
    [
        (msgspec.structs.replace(BOX, host_id="../../etc"), "host-id-invalid"),
        (
            msgspec.structs.replace(
                BOX,
                inventory=msgspec.structs.replace(
                    BOX.inventory, interfaces=(Interface(name="eth0", ipv4_addresses=("999.0.0.1/99",)),)
                ),
            ),
            "step-reply-invalid",
        ),
    ],
)
def test_values_that_node0_refuses_are_a_problem(record: MachineRecord, code: str) -> None:
    with pytest.raises(Problem) as caught:
        judge(record, MASTER)
    assert caught.value.code == code
