"""The cable of a host: out, bad, or cut off from the others.

A bad cable is a program between the host's port and the bridge. Container hosts that restart keep it, because their
runner plugs the new port into the same bridge; the power cycle of a virtual machine plugs in a good one.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

import msgspec

from cli.command import run
from vm_harness.container import network
from vm_harness.container.machine import ContainerMachine
from vm_harness.faults.fault import Fault, Target
from vm_harness.network.bad_cable import Settings
from vm_harness.network.link import bad_cable_bridge
from vm_harness.processes import ProcessId

SECONDS = 30
PROGRAM = (sys.executable, "-P", "-m", "vm_harness.network.bad_cable")
LONGEST_FRAME = 1000
"""Bytes. An IPv6 link carries 1280 (RFC 8200), and a TLS handshake needs more than this in one packet."""


def ports(target: Target) -> dict[str, str]:
    """The other ends of the host's cables, in the lab's namespace → the bridges of their links."""
    machine = target.machine
    if isinstance(machine, ContainerMachine):
        return {network.port(machine.number, nic): bridge for nic, bridge in enumerate(machine.bridges)}
    # libvirt gives the TAP device of a NIC its MAC, with another first byte.
    bridges = {mac[2:].lower(): bridge for mac, bridge in zip(target.macs, machine.domain.bridges, strict=True)}
    found = ((link["ifname"], link.get("address", "")[2:]) for link in _taps(target))
    return {name: bridges[tail] for name, tail in found if tail in bridges}


def _taps(target: Target) -> list[dict[str, str]]:
    """The TAP devices that are ports of a bridge."""
    return [link for link in json.loads(_ip(target, "-json", "link", "show", "type", "tun")) if link.get("master")]


def pull(target: Target) -> None:
    for port in ports(target):
        _ip(target, "link", "set", port, "down")


def plug(target: Target) -> None:
    for port in ports(target):
        _ip(target, "link", "set", port, "up")


def begin(settings: Settings, target: Target) -> None:
    end(target)
    for port, bridge in ports(target).items():
        _lay_through(target, port, bridge, settings)


def end(target: Target) -> None:
    """Plug the ports into their links again, and end the programs."""
    for port, bridge in ports(target).items():
        with suppress(FileNotFoundError, ProcessLookupError, ValueError):
            process = ProcessId.of(int(_pid_file(target, port).read_text()))
            if target.namespace.contains(process):
                process.end()
        _ip(target, "link", "set", port, "master", bridge)
        for device in _devices(port):
            run(["ip", "-n", target.namespace.name, "link", "delete", device], timeout=SECONDS, check=False)


def _lay_through(target: Target, port: str, bridge: str, settings: Settings) -> None:
    """port → a bridge → TAP → the program → TAP → the link's bridge."""
    host_side, host_end, link_end = _devices(port)
    _ip(target, "link", "add", host_side, "type", "bridge")
    for tap, master in ((host_end, host_side), (link_end, bridge)):
        _ip(target, "tuntap", "add", tap, "mode", "tap")
        _ip(target, "link", "set", tap, "master", master, "up")
    _ip(target, "link", "set", host_side, "up")
    argv: list[str | Path] = [
        *PROGRAM,
        host_end,
        link_end,
        _pid_file(target, port),
        msgspec.json.encode(settings).decode(),
    ]
    run(target.namespace.inside(argv), timeout=SECONDS)
    _ip(target, "link", "set", port, "master", host_side)


def _devices(port: str) -> tuple[str, str, str]:
    return bad_cable_bridge(port), f"{port}.host", f"{port}.link"


def _pid_file(target: Target, port: str) -> Path:
    return target.runtime / f"cable-{port}.pid"


def _ip(target: Target, *words: str) -> str:
    options = [word for word in words if word.startswith("-")]
    rest = [word for word in words if not word.startswith("-")]
    return run(["ip", *options, "-n", target.namespace.name, *rest], timeout=SECONDS).stdout


def _bad(name: str, summary: str, settings: Settings) -> Fault:
    return Fault(name=name, summary=summary, begin=partial(begin, settings), end=end)


def _faults() -> Iterator[Fault]:
    yield Fault(
        name="cable-out",
        summary="All cables of the host are out. It sees its links go down.",
        begin=pull,
        end=plug,
    )
    for percent in (5, 30):
        loss = percent / 100
        yield _bad(
            f"packet-loss-{percent}", f"{percent} % of the frames are lost, in each direction.",
            Settings(loss_from=loss, loss_to=loss),
        )  # fmt: skip
    yield _bad("delay-500ms", "Each frame arrives 500 ms late, in each direction.", Settings(delay=0.5))
    yield _bad(
        "mtu-black-hole", f"Frames of more than {LONGEST_FRAME} bytes are lost; shorter ones arrive.",
        Settings(longest=LONGEST_FRAME),
    )  # fmt: skip
    yield _bad("one-way-loss", "What the host sends is lost; what others send arrives.", Settings(loss_from=1))
    yield _bad("partition", "No frame passes, although the links stay up.", Settings(loss_from=1, loss_to=1))


FAULTS = tuple(_faults())
