"""`cluster0-agent network` on a machine in a directory."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path

import pytest

from agent.machine import Clock, Link, Machine
from agent.model.host_documents import HostMatch
from agent.model.host_paths import HOST_FILE, INTENT_FILE
from agent.network.configure import UDEV_BUSY, configure
from agent.network.keyfiles import DIRECTORY
from agent.network.nics import UDEV_RUNS, Nic, read_nics
from tests.fakes.agent.machine import ScriptedNetlink, add_nic, machine_in, nic_files
from tests.fakes.inputs.intents import host, intent, mac

FILES = ("/etc/hostname", "/etc/hosts", HOST_FILE, f"{DIRECTORY}/eth0.nmconnection")


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    made = machine_in(tmp_path)
    made.files.save(INTENT_FILE, intent(host(1), host(2)))
    return made


def netlink(machine: Machine) -> ScriptedNetlink:
    assert isinstance(machine.netlink, ScriptedNetlink)
    return machine.netlink


class FastClock(Clock):
    """Each reading is a minute later than the one before."""

    def __init__(self) -> None:
        self._minutes = itertools.count()

    def monotonic(self) -> float:
        return 60.0 * next(self._minutes)


def test_configuring_writes_link_names_and_keyfiles(machine: Machine) -> None:
    add_nic(machine.files.root, "enp1s0", mac(2))
    configure(machine, timeout=1)
    assert machine.files.load(HOST_FILE, HostMatch) == HostMatch(
        index=1, why=f"hosts[1] (host2): {mac(2)} is enp1s0", seen_macs=(mac(2),), names={"eth0": "enp1s0"}
    )
    assert machine.files.read("/etc/hostname") == "host2\n"
    assert machine.kernel.hostname() == "host2"
    assert machine.files.read("/etc/hosts").splitlines()[2:] == [
        "192.168.122.11 host2.demo.example.com host2",
        "192.168.122.10 api.demo.example.com api-int.demo.example.com",
    ]
    keyfile = machine.files.at(f"{DIRECTORY}/eth0.nmconnection")
    assert f"mac-address={mac(2)}" in keyfile.read_text()
    assert keyfile.stat().st_mode & 0o777 == 0o600


def test_configuring_the_network_twice_changes_nothing(machine: Machine) -> None:
    add_nic(machine.files.root, "enp1s0", mac(1))
    configure(machine, timeout=1)
    first = {path: machine.files.read(path) for path in FILES}
    configure(machine, timeout=1)
    assert {path: machine.files.read(path) for path in FILES} == first


def test_a_nic_that_comes_late_is_waited_for(machine: Machine) -> None:
    netlink(machine).late = [nic_files(machine.files.root, "enp1s0", mac(1))]
    match = configure(machine, timeout=1)
    assert match is not None
    assert match.index == 0


def test_the_wait_for_nics_does_not_end_while_udev_is_busy(machine: Machine) -> None:
    machine.files.write(UDEV_BUSY, "")
    root = machine.files.root
    netlink(machine).late = [nic_files(root, "enp9s0", mac(9)), nic_files(root, "enp1s0", mac(1))]
    match = configure(machine, timeout=1)
    assert match is not None
    assert match.index == 0


def test_a_nic_counts_once_udev_has_named_it(machine: Machine) -> None:
    root = machine.files.root
    machine.files.write(UDEV_RUNS, "")
    machine.files.write(UDEV_BUSY, "")
    add_nic(root, "eth0", mac(1), ifindex="2")
    named = [*nic_files(root, "enp1s0", mac(1), ifindex="2"), (root / "run/udev/data/n2", "")]
    netlink(machine).late = [[(root / "sys/class/net/eth0/type", "0")], named]
    match = configure(machine, timeout=1)
    assert match is not None
    assert match.names == {"eth0": "enp1s0"}


def test_a_device_that_udev_cannot_finish_with_does_not_hold_up_the_boot(machine: Machine) -> None:
    machine.files.write(UDEV_BUSY, "")
    add_nic(machine.files.root, "enp9s0", mac(9))
    with_fast_clock = replace(machine, clock=FastClock())
    match = configure(with_fast_clock, timeout=1)
    assert match is not None
    assert [problem.code for problem in match.problems] == ["host-unknown"]


def test_an_unmatched_host_gets_dhcp_and_keeps_its_name(machine: Machine) -> None:
    add_nic(machine.files.root, "enp1s0", mac(9))
    match = configure(machine, timeout=1)
    assert match is not None
    assert [problem.code for problem in match.problems] == ["host-unknown"]
    assert machine.files.names(DIRECTORY) == ("cluster0-dhcp.nmconnection",)
    assert not machine.files.at("/etc/hostname").exists()


def test_without_an_intent_no_network_file_is_written(tmp_path: Path) -> None:
    machine = machine_in(tmp_path)
    assert configure(machine, timeout=1) is None
    assert not machine.files.root.exists()


def test_nics_are_matched_by_their_permanent_mac(machine: Machine) -> None:
    root = machine.files.root
    add_nic(root, "enp1s0", mac(1))
    add_nic(root, "enp2s0", mac(0xEE), addr_assign_type="3")
    add_nic(root, "bond0", mac(0xEE), uevent="DEVTYPE=bond\n")
    add_nic(root, "veth1", mac(0xDD), addr_assign_type="1")
    add_nic(root, "lo", "00:00:00:00:00:00", type="772")
    port = Link(name="enp2s0", mac=mac(0xEE), permanent_mac=mac(2), mtu=1500, kind="", flags=())
    netlink(machine).set_links(port)
    assert read_nics(machine) == (Nic("enp1s0", mac(1)), Nic("enp2s0", mac(2)))
