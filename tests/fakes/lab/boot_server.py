"""Serves a lab's hosts what they boot over the network: HTTP and, for a firmware that asks, DHCP."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from vm_harness.lab.cluster import image, keys, made_up
from vm_harness.lab.cluster.topologies import GATEWAY, TOPOLOGIES
from vm_harness.lab.directories import Directories
from vm_harness.lab.lab import Lab
from vm_harness.network.link import BRIDGE

PORT = 8080
URL = f"http://{GATEWAY.ip}:{PORT}"


def create(what: str, directory: Path, base_iso: Path, *options: str) -> None:
    """`cluster0 create WHAT`, for files that are served at URL."""
    places: list[str | Path] = ["--dir", directory, "--base-iso", base_iso]
    subprocess.run([image.cluster0(), "create", what, *places, "--base-url", URL, *options], check=True)


def make_minimal_iso(directories: Directories, base_iso: Path) -> None:
    """The ISO of a single node, before its lab is up; the lab then boots it."""
    directories.make()
    keys.ensure(directories)
    made_up.write(directories.inputs, TOPOLOGIES["sno"], keys.public_key(directories))
    create("image", directories.inputs, base_iso, "--minimal")


@contextmanager
def http(lab: Lab) -> Iterator[None]:
    """What `create` has left in the lab's directory, where its hosts can reach it."""
    served = lab.directories.inputs / "boot-artifacts"
    with _daemon(lab, [sys.executable, "-m", "http.server", f"{PORT}", "--directory", served], "http.log"):
        yield


@contextmanager
def dhcp(lab: Lab) -> Iterator[None]:
    """Addresses far from the hosts' own, and the iPXE script as what to boot."""
    pool = f"{GATEWAY.network[200]},{GATEWAY.network[220]}"
    argv = [
        "dnsmasq", "--keep-in-foreground", "--conf-file=/dev/null", "--pid-file=", "--port=0", "--user=root",
        f"--interface={BRIDGE}", "--bind-interfaces", "--log-facility=-", "--dhcp-authoritative",
        f"--dhcp-range={pool}", f"--dhcp-leasefile={lab.directories.runtime / 'leases'}",
        f"--dhcp-boot={URL}/agent.x86_64.ipxe",
    ]  # fmt: skip
    with _daemon(lab, argv, "dhcp.log"):
        yield


@contextmanager
def _daemon(lab: Lab, argv: Sequence[str | Path], log: str) -> Iterator[None]:
    with (lab.directories.logs / log).open("wb") as output:
        process = subprocess.Popen(lab.namespace.inside(argv), stdout=output, stderr=output)
        try:
            yield
        finally:
            process.terminate()
            process.wait(10)
