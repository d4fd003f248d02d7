"""The kernel's network, from iproute2's `ip -json`: a process of some milliseconds for each read.

It is what programs read that run as long as the host. pyroute2 would stay in their memory; programs that end soon, or
change the kernel's routes, use that.

Reference: ip-address(8), ip-route(8), ip-neighbour(8). Fields that are absent have their default.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from typing import TypeVar

import msgspec

from agent.machine.process import Finished, ProcessFailed

Reply = TypeVar("Reply")

UNICAST = "unicast"

_SECONDS = 30.0


class PortData(msgspec.Struct, frozen=True):
    """`perm_hwaddr`: the own MAC of a bond's port."""

    perm_hwaddr: str = ""


class LinkInfo(msgspec.Struct, frozen=True):
    """Of a virtual link, or of a port. `info_kind`: its driver."""

    info_kind: str = ""
    info_slave_data: PortData = PortData()


class AddressInfo(msgspec.Struct, frozen=True):
    """`local`: without the prefix length."""

    local: str = ""
    prefixlen: int = 0
    scope: str = ""
    tentative: bool = False
    dadfailed: bool = False


class LinkEntry(msgspec.Struct, frozen=True):
    """`address`: the MAC in use. `permaddr`: the hardware's own MAC, where it differs."""

    ifname: str
    flags: tuple[str, ...] = ()
    mtu: int = 0
    address: str = ""
    permaddr: str = ""
    linkinfo: LinkInfo = LinkInfo()
    addr_info: tuple[AddressInfo, ...] = ()

    @property
    def is_running(self) -> bool:
        """The kernel's flag RUNNING: `ip` shows NO-CARRIER where a link that is up lacks it."""
        return "UP" in self.flags and "NO-CARRIER" not in self.flags


class RouteEntry(msgspec.Struct, frozen=True):
    """`dst`: "default", or an address with its prefix length, which is left out where it is the whole address.
    `dev`: empty for a route with several next hops."""

    dst: str
    type: str = ""
    gateway: str = ""
    dev: str = ""
    metric: int = 0


class NeighbourEntry(msgspec.Struct, frozen=True):
    dst: str
    dev: str = ""
    lladdr: str = ""


def links() -> tuple[LinkEntry, ...]:
    """Every link with its addresses. Raises as `read` does."""
    return read(["address", "show"], tuple[LinkEntry, ...])


def read(words: Sequence[str], kind: type[Reply]) -> Reply:
    """The reply to `ip -json -details WORDS`, in the network namespace of the calling thread.

    Blocks. Raises `ProcessFailed`.
    """
    argv = ("ip", "-json", "-details", *words)
    ended = _run(argv)
    try:
        return msgspec.json.decode(ended.stdout, type=kind)
    except msgspec.DecodeError as error:
        raise ProcessFailed(ended, f"output of an unknown form: {error}") from error


def _run(argv: tuple[str, ...]) -> Finished:
    environment = {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C"}
    try:
        ended = subprocess.run(
            argv, stdin=subprocess.DEVNULL, capture_output=True, env=environment, timeout=_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ProcessFailed(Finished(argv, 127, "", ""), str(error)) from error
    finished = Finished(
        argv, ended.returncode, ended.stdout.decode(errors="replace"), ended.stderr.decode(errors="replace")
    )
    if finished.exit_code != 0:
        raise ProcessFailed(finished, f"exit code {finished.exit_code}")
    return finished
