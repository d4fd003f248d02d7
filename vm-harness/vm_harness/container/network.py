"""A container's NICs: the ends of cables whose other ends are ports of the lab's bridge."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from cli.command import run
from vm_harness.network.link import bad_cable_bridge

SECONDS = 30


def port(host: int, nic: int) -> str:
    """The name of the cable's end in the lab's namespace."""
    return f"h{host}n{nic}"


def nic_name(nic: int) -> str:
    """The name that the container sees: that of a PCI card."""
    return f"enp{nic + 1}s0"


def make_namespace(file: Path) -> None:
    """A new network namespace that `file` keeps, in this process's mount namespace."""
    if file.exists():
        run(["umount", file], timeout=SECONDS, check=False)
    file.touch()
    run(["unshare", f"--net={file}", "true"], timeout=SECONDS)


def plug_in(lab: str, file: Path, host: int, macs: Sequence[str], bridges: Sequence[str]) -> None:
    """Connect one NIC for each of `macs` to its bridge in the namespace `lab`; a bad cable stays where it is."""
    for number, (mac, bridge) in enumerate(zip(macs, bridges, strict=True)):
        end, name = port(host, number), nic_name(number)
        run(["ip", "-n", lab, "link", "delete", end], timeout=SECONDS, check=False)
        cable = ["link", "add", end, "type", "veth", "peer", "name", name, "address", mac, "netns", str(file)]
        run(["ip", "-n", lab, *cable], timeout=SECONDS)
        bad = bad_cable_bridge(end)
        is_bad = run(["ip", "-n", lab, "link", "show", bad], timeout=SECONDS, check=False).exit_code == 0
        run(["ip", "-n", lab, "link", "set", end, "master", bad if is_bad else bridge, "up"], timeout=SECONDS)
