"""Bad cables and neighbours on real links: what arrives at a host, and that the end of a fault ends it."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import ip_interface
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from vm_harness.container import network
from vm_harness.container.machine import ContainerMachine
from vm_harness.faults import addresses
from vm_harness.faults.fault import Target
from vm_harness.faults.table import find
from vm_harness.network import link
from vm_harness.network.namespace import Namespace

pytestmark = [pytest.mark.integration, pytest.mark.skipif(os.geteuid() != 0, reason="needs root for namespaces")]

GATEWAY, HOST = "192.0.2.1", "192.0.2.10"
MAC = "52:54:00:c0:00:01"
SERVER = f"""
import socket
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
    server.bind(("{HOST}", 7))
    print("ready", flush=True)
    while True:
        server.sendto(*server.recvfrom(2000))
"""
CLIENT = f"""
import socket, sys
count, size, seconds = map(int, sys.argv[1:])
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
    client.connect(("{HOST}", 7))
    client.settimeout(seconds)
    for number in range(count):
        client.send(number.to_bytes(size, "big"))
    got = set()
    try:
        while len(got) < count:
            got.add(client.recv(2000))
    except OSError:  # Too late, or another machine refuses.
        pass
    print(len(got))
"""


@dataclass
class Site:
    """A lab's link with one host: a network namespace whose cable is plugged in as a container's is."""

    namespace: Namespace
    host: Path
    target: Target
    server: subprocess.Popen[str] | None = None

    def plug_in(self) -> None:
        """As at a start of the host."""
        network.make_namespace(self.host)
        machine = cast(ContainerMachine, self.target.machine)
        network.plug_in(self.namespace.name, self.host, machine.number, machine.macs, machine.bridges)
        for words in (["address", "add", f"{HOST}/24", "dev", "enp1s0"], ["link", "set", "enp1s0", "up"]):
            subprocess.run(["nsenter", f"--net={self.host}", "ip", *words], check=True)
        argv = ["nsenter", f"--net={self.host}", sys.executable, "-c", SERVER]
        self.server = subprocess.Popen(argv, stdout=subprocess.PIPE, text=True)
        assert self.server.stdout is not None
        assert self.server.stdout.readline() == "ready\n"

    def unplug(self) -> None:
        if self.server is not None:
            self.server.kill()
            self.server.communicate()
            self.server = None
            subprocess.run(["umount", self.host], check=True)

    def echoes(self, *, size: int = 100, count: int = 1, seconds: int = 2) -> int:
        """How many of `count` packets with `size` bytes for the host come back; ends `seconds` after the last one."""
        words = [sys.executable, "-c", CLIENT, str(count), str(size), str(seconds)]
        return int(subprocess.check_output(self.namespace.inside(words), text=True))


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    namespace = Namespace.create(f"fault-{os.getpid()}")
    link.create_bridge(namespace, ip_interface(f"{GATEWAY}/24"))
    nowhere = Path("/dev/null")
    machine = ContainerMachine(
        name="node0", number=0, lab="test", namespace=namespace.name, macs=(MAC,), bridges=(link.BRIDGE,), memory_mib=0,
        disk=nowhere, disk_image=nowhere, medium=nowhere, medium_image=nowhere, serial_log=nowhere, runtime=tmp_path,
    )  # fmt: skip
    node = cast(Any, SimpleNamespace(name="node0", address=HOST))
    made = Site(namespace, tmp_path / "host", Target(node, machine, namespace, tmp_path))
    try:
        made.plug_in()
        yield made
    finally:
        if made.server is not None:
            end(made, "partition")
        addresses.leave(namespace.name)
        made.unplug()
        namespace.delete()


def begin(site: Site, name: str) -> None:
    find(name).begin(site.target)


def end(site: Site, name: str) -> None:
    action = find(name).end
    assert action is not None
    action(site.target)


@pytest.mark.parametrize("name", ["cable-out", "partition", "one-way-loss"])
def test_no_answer_arrives_until_the_fault_ends(site: Site, name: str) -> None:
    assert site.echoes() == 1
    begin(site, name)
    assert site.echoes() == 0
    end(site, name)
    assert site.echoes(count=5) > 0


def test_one_way_loss_lets_frames_to_the_host_arrive(site: Site) -> None:
    count = "import pathlib; print(pathlib.Path('/proc/net/dev').read_text().split('enp1s0:')[1].split()[1])"
    received = ["nsenter", f"--net={site.host}", sys.executable, "-c", count]
    site.echoes()
    begin(site, "one-way-loss")
    before = int(subprocess.check_output(received))
    assert site.echoes(count=5) == 0
    assert int(subprocess.check_output(received)) >= before + 5


def test_the_gateway_keeps_its_mac_when_a_port_comes(site: Site) -> None:
    """Else the hosts' neighbour entries for it would be wrong, and its own ones flushed."""

    def ip(*words: str) -> str:
        return subprocess.check_output(["ip", "-n", site.namespace.name, *words], text=True)

    before = ip("link", "show", link.BRIDGE)
    ip("link", "add", "late", "address", "02:00:00:00:00:00", "type", "veth", "peer", "name", "other")
    ip("link", "set", "late", "master", link.BRIDGE, "up")
    assert before.split("link/ether ")[1] == ip("link", "show", link.BRIDGE).split("link/ether ")[1]


def test_packet_loss_takes_about_its_part_of_the_frames(site: Site) -> None:
    # Not by ARP, whose frames may be lost as well.
    known = ["neighbour", "replace", HOST, "lladdr", MAC, "dev", link.BRIDGE]
    subprocess.run(["ip", "-n", site.namespace.name, *known], check=True)
    site.echoes()
    begin(site, "packet-loss-30")
    assert 70 < site.echoes(count=200) < 130  # 98 are expected: a request and its answer both have to arrive


def test_a_black_hole_takes_large_packets_alone(site: Site) -> None:
    begin(site, "mtu-black-hole")
    assert site.echoes(size=1400) == 0
    assert site.echoes(size=900) == 1


def test_a_delay_holds_each_frame_back(site: Site) -> None:
    site.echoes()
    begin(site, "delay-500ms")
    start = time.monotonic()
    assert site.echoes(seconds=20) == 1
    assert time.monotonic() - start >= 1.0


def test_a_host_that_restarts_keeps_its_bad_cable_and_gets_a_good_one_afterwards(site: Site) -> None:
    begin(site, "partition")
    site.unplug()
    site.plug_in()
    assert site.echoes() == 0
    end(site, "partition")
    assert site.echoes(count=5) > 0


def test_a_fault_may_begin_twice_and_ends_once(site: Site) -> None:
    begin(site, "partition")
    begin(site, "packet-loss-5")
    assert site.echoes(count=20) > 5
    end(site, "packet-loss-5")
    links = subprocess.check_output(["ip", "-n", site.namespace.name, "-brief", "link", "show"], text=True)
    assert "h0n0." not in links


def test_another_machine_answers_for_an_address_that_is_taken(site: Site) -> None:
    site.unplug()
    begin(site, "address-taken")
    site.echoes()
    seen = subprocess.check_output(["ip", "-n", site.namespace.name, "neighbour", "show", HOST], text=True)
    assert "lladdr" in seen
    assert MAC not in seen
    end(site, "address-taken")
    names = subprocess.check_output(["ip", "netns", "list"], text=True)
    assert f"{site.namespace.name}-neighbour" not in names
    site.plug_in()


def test_the_switch_sends_frames_for_a_duplicate_mac_to_the_other_machine(site: Site) -> None:
    begin(site, "duplicate-mac")
    table = ["bridge", "-n", site.namespace.name, "fdb", "show", "br", link.BRIDGE]
    deadline = time.monotonic() + 10
    while f"{MAC} dev neighbour" not in (shown := subprocess.check_output(table, text=True)):
        assert time.monotonic() < deadline, shown
        time.sleep(0.1)
    end(site, "duplicate-mac")
    assert "neighbour" not in subprocess.check_output(table, text=True)
