"""The smaller collectors, and the whole inventory of the machine that runs the tests."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from agent.inventory import boot, cpu, hostname, interfaces, memory, network_problems, routes, system_vendor, tpm
from agent.inventory.collect import collect
from agent.machine import Address, KernelRoute, Link, Machine
from agent.model.host_documents import NetworkReport
from agent.model.host_paths import NETWORK_FILE
from agent.model.inventory import Interface
from agent.model.problems import ProblemReport
from tests.fakes.agent.machine import machine_in

CPUINFO = """\
processor\t: 0
model name\t: Intel(R) Xeon(R) Gold 6130 CPU @ 2.10GHz
flags\t\t: fpu vme cx16 hypervisor

processor\t: 1
model name\t: another
"""
NIC = Link(
    name="enp1s0",
    mac="52:54:00:00:00:0a",
    permanent_mac="52:54:00:00:00:01",
    mtu=1500,
    kind="",
    flags=("UP", "BROADCAST", "RUNNING", "MULTICAST"),
)


def test_cpu_and_virtualisation_from_cpuinfo(tmp_path: Path) -> None:
    machine = machine_in(tmp_path)
    machine.files.write("/proc/cpuinfo", CPUINFO)
    machine.files.write("/sys/class/dmi/id/sys_vendor", "QEMU\n")
    found = cpu.collect(machine)
    assert (found.count, found.model_name) == (4, "Intel(R) Xeon(R) Gold 6130 CPU @ 2.10GHz")
    assert found.flags == ("fpu", "vme", "cx16", "hypervisor")
    vendor = system_vendor.collect(machine)
    assert (vendor.manufacturer, vendor.product_name, vendor.virtual) == ("QEMU", "", True)


def test_the_inventory_counts_online_memory_blocks(tmp_path: Path) -> None:
    machine = machine_in(tmp_path)
    usable = machine.kernel.usable_memory()
    assert (memory.collect(machine).physical_bytes, memory.collect(machine).physical_bytes_method) == (
        usable,
        "meminfo",
    )
    machine.files.write("/sys/devices/system/memory/block_size_bytes", "8000000\n")
    for number, online in enumerate("110"):
        machine.files.write(f"/sys/devices/system/memory/memory{number}/online", online)
    found = memory.collect(machine)
    assert (found.physical_bytes, found.usable_bytes, found.physical_bytes_method) == (2 * 0x8000000, usable, "ghw")


def test_the_inventory_names_network_problems(tmp_path: Path) -> None:
    machine = machine_in(tmp_path)
    assert network_problems.collect(machine) == ()
    problem = ProblemReport(code="interface-not-up", title="Interface eth1 is not up: there is no carrier")
    machine.files.save(NETWORK_FILE, NetworkReport(problems=(problem,)))
    assert network_problems.collect(machine) == (problem.title,)


def test_interface_keeps_its_permanent_mac_and_usable_addresses(tmp_path: Path) -> None:
    machine = machine_in(tmp_path)
    machine.files.write("/sys/class/net/enp1s0/carrier", "1\n")
    machine.files.write("/sys/class/net/enp1s0/speed", "-1\n")
    addresses = (
        Address("enp1s0", "192.0.2.10/24"),
        Address("enp1s0", "2001:db8::10/64"),
        Address("other", "192.0.2.9/24"),
    )
    nic = interfaces.describe(NIC, addresses, machine.files)
    assert (nic.mac_address, nic.ipv4_addresses, nic.ipv6_addresses) == (
        "52:54:00:00:00:01",
        ("192.0.2.10/24",),
        ("2001:db8::10/64",),
    )
    assert (nic.flags, nic.has_carrier, nic.speed_mbps, nic.type) == (
        ("up", "broadcast", "running", "multicast"),
        True,
        0,
        "physical",
    )


@pytest.mark.parametrize(("family", "destination"), [(2, "0.0.0.0"), (10, "::")])
def test_default_route_has_a_destination(family: int, destination: str) -> None:
    route = KernelRoute(interface="enp1s0", destination="", gateway="gateway", family=family, metric=100)
    assert routes.parse(route).destination == destination


@pytest.mark.parametrize(
    ("variable", "state"), [(b"\x06\0\0\0\x01", "Enabled"), (b"\x06\0\0\0\0", "Disabled"), (b"", "Unknown")]
)
def test_secure_boot_is_read_from_its_efi_variable(variable: bytes, state: str) -> None:
    assert boot.parse_secure_boot(variable) == state


def test_the_boot_mode_is_bios_or_uefi(tmp_path: Path) -> None:
    machine = machine_in(tmp_path)
    assert (boot.collect(machine).current_boot_mode, boot.collect(machine).secure_boot_state) == (
        "bios",
        "NotSupported",
    )
    machine.files.write(boot.SECURE_BOOT, b"\x06\0\0\0\x01")
    assert (boot.collect(machine).current_boot_mode, boot.collect(machine).secure_boot_state) == ("uefi", "Enabled")


@pytest.mark.parametrize(("major", "version"), [("2", "2.0"), ("1", "1.2"), ("", "none")])
def test_the_inventory_has_the_tpm_version(tmp_path: Path, major: str, version: str) -> None:
    machine = machine_in(tmp_path)
    machine.files.write("/sys/class/tpm/tpm0/tpm_version_major", major)
    assert tpm.collect(machine) == version


def test_a_localhost_is_named_after_its_first_nic_with_an_address() -> None:
    idle = Interface(name="eno1", mac_address="52:54:00:00:00:01")
    used = Interface(name="eno2", mac_address="52:54:00:00:00:02", ipv4_addresses=("192.0.2.10/24",))
    bridge = Interface(name="br0", mac_address="52:54:00:00:00:03", type="bridge", ipv4_addresses=("192.0.2.11/24",))
    assert hostname.choose("localhost.localdomain", [used, idle, bridge]) == "52-54-00-00-00-02"
    assert hostname.choose("host1", [used]) == "host1"
    assert hostname.choose("localhost", [idle]) == "localhost"


def test_the_inventory_of_this_machine_is_complete_and_quick() -> None:
    """Any machine has a CPU, memory and a name, and the inventory takes little time."""
    collect(Machine())
    started = time.process_time()
    found = collect(Machine())
    assert time.process_time() - started < 1
    assert found.cpu.count > 0
    assert found.cpu.model_name or found.cpu.architecture
    assert found.memory.physical_bytes >= found.memory.usable_bytes > 0
    assert found.hostname
