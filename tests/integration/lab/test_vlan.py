"""A lab's trunk on this kernel, which may have no VLANs: traffic between two labs whose trunks a cable joins."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from ipaddress import ip_interface
from pathlib import Path

import pytest

from vm_harness.network import link
from vm_harness.network.namespace import Namespace
from vm_harness.network.vlan_port import TPID, tag, untag
from vm_harness.processes import ProcessId

pytestmark = [pytest.mark.integration, pytest.mark.skipif(os.geteuid() != 0, reason="needs root for namespaces")]

VLAN = 100
HERE, THERE = "192.0.2.1", "192.0.2.2"
MEGABYTES = 4
SERVER = f"""
import socket
with socket.create_server(("{THERE}", 8080)) as server:
    print("ready", flush=True)
    with server.accept()[0] as connection:
        connection.sendall(bytes({MEGABYTES} << 20))
"""
CLIENT = f"""
import socket
with socket.create_connection(("{THERE}", 8080), timeout=30) as connection:
    print(sum(len(data) for data in iter(lambda: connection.recv(1 << 16), b"")))
"""
SEEN = """
import socket, sys
with socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3)) as cable:
    cable.setsockopt(263, 8, 1)  # SOL_PACKET, PACKET_AUXDATA: the kernel takes a tag out of the frame
    cable.bind((sys.argv[1], 0))
    cable.settimeout(30)
    print("ready", flush=True)
    while True:
        frame, hints, _, _ = cable.recvmsg(2048, 64)
        if frame[12:14] == b"\\x08\\x06":  # ARP
            print(int.from_bytes(hints[0][2][16:18], sys.byteorder))
            break
"""


class Site:
    """A lab's link and its trunk, in a namespace of their own."""

    def __init__(self, name: str, address: str, runtime: Path) -> None:
        runtime.mkdir()
        self.namespace = Namespace.create(f"{name}-{os.getpid()}")
        link.create_bridge(self.namespace, ip_interface(f"{address}/24"))
        link.create_trunks(self.namespace, [VLAN], runtime)
        self.port = ProcessId.of(int((runtime / f"vlan-{VLAN}.pid").read_text()))

    def python(self, script: str, *words: str) -> subprocess.Popen[str]:
        argv = self.namespace.inside([sys.executable, "-c", script, *words])
        return subprocess.Popen(argv, stdout=subprocess.PIPE, text=True)

    def remove(self) -> None:
        self.port.end()
        self.namespace.delete()


def first_line(process: subprocess.Popen[str]) -> str:
    assert process.stdout
    return process.stdout.readline().strip()


def join(one: Site, other: Site) -> None:
    """A cable between the two trunks."""
    peer = ["type", "veth", "peer", "name", "cable", "netns", other.namespace.name]
    subprocess.run(["ip", "-n", one.namespace.name, "link", "add", "cable", *peer], check=True)
    for site in (one, other):
        plug = ["master", link.bridge_of(VLAN), "up"]
        subprocess.run(["ip", "-n", site.namespace.name, "link", "set", "cable", *plug], check=True)


@pytest.fixture
def sites(tmp_path: Path) -> Iterator[tuple[Site, Site]]:
    with ExitStack() as stack:
        pair = []
        for name, address in (("here", HERE), ("there", THERE)):
            pair.append(Site(name, address, tmp_path / name))
            stack.callback(pair[-1].remove)
        join(*pair)
        yield pair[0], pair[1]


def test_traffic_crosses_the_trunk_and_has_the_tag_there(sites: tuple[Site, Site]) -> None:
    here, there = sites
    with here.python(SEEN, "cable") as seen, there.python(SERVER) as server:
        assert first_line(seen) == first_line(server) == "ready"
        with here.python(CLIENT) as client:
            assert int(first_line(client)) == MEGABYTES << 20
        assert int(first_line(seen)) & 0x0FFF == VLAN


def test_the_process_of_a_vlan_port_runs_in_the_namespace_of_its_lab(sites: tuple[Site, Site]) -> None:
    here, there = sites
    assert here.namespace.contains(here.port)
    assert not there.namespace.contains(here.port)


def test_a_frame_of_another_vlan_or_of_none_does_not_pass() -> None:
    frame = bytes(range(12)) + socket.htons(0x0800).to_bytes(2, sys.byteorder) + b"content"
    assert untag(tag(frame, VLAN), VLAN) == frame
    assert tag(frame, VLAN)[12:14] == TPID.to_bytes(2, "big")
    assert untag(tag(frame, VLAN + 1), VLAN) is None
    assert untag(frame, VLAN) is None
