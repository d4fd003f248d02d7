"""Recording a machine in a file; identifying values are masked, equal ones alike."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from agent.api.checks import ConnectivityReport, L2Connectivity, Peer, PeerNic, RemoteHost
from agent.install.probe import DiskContent, Found, User
from agent.machine import Address, KernelRoute, Link
from agent.machine.networkmanager import Device
from agent.model.intent import Role
from agent.model.inventory import Boot, Disk, Interface, Inventory, SystemVendor
from agent.record.machine import MachineRecord, record
from agent.record.mask import mask
from agent.record.network import NetworkState
from agent.record.peers import RecordedPeer
from replay.recorded import machines
from tests.fakes.agent.machine import Programs, machine_in

SERIAL, WWN, MAC = "S4EVNF0M123456", "0x5002538e40a1b2c3", "b4:96:91:aa:bb:cc"
OTHER_MAC, NEIGHBOUR_MAC, ROUTER_MAC = "52:54:00:12:34:56", "52:54:00:ab:cd:ef", "00:1b:21:5e:60:70"
PARTITION, CONTAINER = "9a7f1c2e-3b4d-4f5a-8c6b-7d8e9f0a1b2c", "5C1E7A90-1d2c-4b3a-9f8e-0a1b2c3d4e5f"
SECRETS = (
    SERIAL,
    WWN,
    MAC,
    MAC.replace(":", "-"),
    "4c4c4544-0042",
    "hunter2",
    "user:pass",
    "d41d8cd98f00b204",
    "CZ1234",
    OTHER_MAC,
    NEIGHBOUR_MAC,
    ROUTER_MAC,
    PARTITION,
    CONTAINER,
    "b696:91ff:feaa:bbcc",
    "21b:21ff:fe5e:6070",
)

MACHINE = MachineRecord(
    recorded_at="2026-05-01T12:00:00.000Z",
    host_id="4c4c4544-0042-3510-8051-b8c04f4d3432",
    inventory=Inventory(
        hostname=MAC.replace(":", "-"),
        disks=(
            Disk(
                id=f"/dev/disk/by-id/ata-Samsung_SSD_860_{SERIAL}",
                name="sda",
                path="/dev/sda",
                by_id=f"/dev/disk/by-id/ata-Samsung_SSD_860_{SERIAL}",
                by_path=f"/dev/disk/by-path/pci-0000:18:00.0-sas-{WWN}-lun-0",
                serial=SERIAL,
                wwn=WWN,
            ),
            Disk(id="/dev/vdb", name="vdb", path="/dev/vdb", serial="1"),
        ),
        interfaces=(Interface(name="bond0", mac_address=MAC), Interface(name="eno1", mac_address=MAC)),
        boot=Boot(command_line="quiet api.token=hunter2 ignition.config.url=https://user:pass@192.0.2.1/x.ign"),
        system_vendor=SystemVendor(serial_number="CZ1234", product_uuid="4c4c4544-0042-3510-8051-b8c04f4d3432"),
        machine_id="d41d8cd98f00b204e9800998ecf8427e",
        network_problems=(f"The address 192.0.2.7 of eno1 ({MAC}) is also that of {OTHER_MAC}",),
    ),
    network=NetworkState(
        links=(
            Link("lo", "00:00:00:00:00:00", "", 65536, "", ("LOOPBACK", "UP", "RUNNING")),
            Link("bond0", MAC, "", 1500, "bond", ("BROADCAST", "UP", "RUNNING")),
            Link("eno1", MAC, "b4:96:91:aa:bb:cd", 1500, "", ("BROADCAST", "UP", "RUNNING")),
        ),
        addresses=(Address("bond0", "2001:db8::b696:91ff:feaa:bbcc/64"), Address("bond0", "192.0.2.7/24")),
        routes=(KernelRoute("bond0", "", "fe80::21b:21ff:fe5e:6070", 10, 1024),),
        devices=(Device("bond0", 100, 0, CONTAINER.lower()),),
    ),
    contents=(
        DiskContent(
            path="/dev/sda",
            size=10**12,
            found=(
                Found("/dev/sda", False, 10**12),
                Found("/dev/sda1", True, 10**11, "crypto_LUKS", "backup", PARTITION),
                Found("/dev/sda2", True, 10**11, "ext4", "", "1b2c3d4e-02"),
            ),
            users=(User(f"/dev/mapper/luks-{CONTAINER}", "crypt", (f"/media/{SERIAL}",)),),
        ),
    ),
    peers=(
        RecordedPeer(
            role=Role.MASTER,
            peer=Peer(host_id="beta", nics=(PeerNic(name="eno1", mac=NEIGHBOUR_MAC, ip_addresses=("192.0.2.8",)),)),
        ),
    ),
    connectivity=ConnectivityReport(
        remote_hosts=(
            RemoteHost(
                host_id="beta",
                l2_connectivity=(
                    L2Connectivity(outgoing_nic="bond0", remote_ip_address="192.0.2.8", remote_mac=NEIGHBOUR_MAC),
                ),
            ),
        )
    ),
)


def test_a_masked_record_identifies_no_machine() -> None:
    masked = mask(MACHINE)
    text = msgspec.json.encode(masked).decode()
    assert [secret for secret in SECRETS if secret in text] == []
    assert masked.masked


def test_masking_keeps_equal_values_equal_and_other_values_unchanged() -> None:
    found = mask(MACHINE)
    disk, other = found.inventory.disks
    bond, nic = found.inventory.interfaces
    assert disk.id == disk.by_id
    assert disk.wwn in disk.by_path
    assert bond.mac_address == nic.mac_address
    assert bond.mac_address.startswith("b4:96:91:")
    assert found.inventory.hostname == bond.mac_address.replace(":", "-")
    assert bond.mac_address in found.inventory.network_problems[0]
    assert found.host_id == found.inventory.system_vendor.product_uuid
    assert (found.peers[0].peer.host_id, found.peers[0].role) == ("beta", Role.MASTER)
    (seen,) = found.connectivity.remote_hosts if found.connectivity else ()
    assert found.peers[0].peer.nics[0].mac == seen.l2_connectivity[0].remote_mac
    assert other.serial != "1"
    assert (other.path, other.id) == ("/dev/vdb", "/dev/vdb")
    assert found.inventory.boot.command_line == "quiet api.token=MASKED ignition.config.url=https://192.0.2.1/x.ign"


def test_masking_keeps_what_the_network_and_the_disks_are_like() -> None:
    found = mask(MACHINE)
    assert found.network is not None and found.contents is not None
    loopback, bond, nic = found.network.links
    assert loopback.mac == "00:00:00:00:00:00"
    assert bond.mac == nic.mac == found.inventory.interfaces[0].mac_address != nic.permanent_mac
    (own, plain), (route,) = found.network.addresses, found.network.routes
    half = "".join(bond.mac.split(":")[4:]).lstrip("0")
    assert own.address == f"2001:db8::b696:91ff:fe00:{half}/64"
    assert plain.address == "192.0.2.7/24"
    assert route.gateway.startswith("fe80::21b:21ff:fe00:")
    _, luks, old = found.contents[0].found
    assert (luks.content, luks.label, luks.size) == ("crypto_LUKS", "backup", 10**11)
    assert old.guid != "1b2c3d4e-02"
    assert found.contents[0].users[0].path.startswith("/dev/mapper/luks-00000000-")


def test_masking_again_changes_nothing() -> None:
    assert mask(mask(MACHINE)) == mask(MACHINE)


@pytest.mark.parametrize("placeholder", ["Default string", "", "Not Specified"])
def test_masking_keeps_placeholder_serials(placeholder: str) -> None:
    vendor = SystemVendor(serial_number=placeholder, product_uuid="03000200-0400-0500-0006-000700080009")
    inventory = msgspec.structs.replace(MACHINE.inventory, system_vendor=vendor)
    assert mask(msgspec.structs.replace(MACHINE, inventory=inventory)).inventory.system_vendor == vendor


@pytest.fixture(autouse=True)
def no_network_manager(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DBUS_SYSTEM_BUS_ADDRESS", f"unix:path={tmp_path}/no-bus")


async def test_a_replayed_record_gives_the_machines_inventory(tmp_path: Path) -> None:
    machine = machine_in(tmp_path, hostname="alpha")
    Programs(tmp_path / "bin").add("chronyc", "echo '^,*,192.0.2.123,2,6,377,1,0,0,0'")
    machine.files.write("/etc/machine-id", "0123456789abcdef0123456789abcdef\n")
    found = await record(machine)
    assert (found.inventory.hostname, found.inventory.machine_id) == ("alpha", "0123456789abcdef0123456789abcdef")
    assert [(source.source_name, source.source_state) for source in found.ntp_sources] == [("192.0.2.123", "synced")]
    assert Programs(tmp_path / "bin").calls == ["chronyc -c -N sources"]


def test_the_record_command_writes_a_record_of_this_machine() -> None:
    done = subprocess.run([sys.executable, "-m", "agent", "--record", "--mask"], capture_output=True, check=True)
    found = msgspec.json.decode(done.stdout, type=MachineRecord)
    assert found.masked
    assert found.inventory.cpu.count >= 1


@pytest.mark.parametrize("name", machines())
def test_recorded_machines_have_a_description_and_are_masked(name: str) -> None:
    found = machines()[name]
    assert found.masked
    assert found.notes
    assert all(note.startswith(("Recorded: ", "Derived: ")) for note in found.notes)
    assert mask(found) == mask(mask(found))
    assert not {disk.serial for disk in found.inventory.disks if not disk.serial.startswith("MASKED")} - {""}
