"""A network namespace per lab: its bridge, its addresses and its libvirtd meet nothing else on this machine."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import msgspec

from cli.command import run
from vm_harness.processes import ProcessId

NAMED = Path("/run/netns")
"""Where iproute2 keeps names of namespaces, see ip-netns(8)."""


class Namespace(msgspec.Struct, frozen=True):
    """A named namespace, told from a later one of the same name.

    `inode`: the kernel's number of it, which is used again once it is gone; `made`: when the inode was made, in ns.
    """

    name: str
    inode: int
    made: int

    @classmethod
    def create(cls, name: str) -> Namespace:
        """Raises `Problem` (`command-failed`) when the name is taken or the kernel refuses."""
        run(["ip", "netns", "add", name], timeout=10)
        run(["ip", "-n", name, "link", "set", "lo", "up"], timeout=10)
        return cls(name, *_identity(NAMED / name))

    @classmethod
    def find(cls, name: str) -> Namespace | None:
        """The namespace that has this name now."""
        try:
            return cls(name, *_identity(NAMED / name))
        except FileNotFoundError:
            return None

    def exists(self) -> bool:
        return Namespace.find(self.name) == self

    def holds(self, process: ProcessId) -> bool:
        """Whether the process lives in this namespace: nothing gets there but through the lab."""
        try:
            its_own = _identity(Path(f"/proc/{process.pid}/ns/net"))
        except (FileNotFoundError, ProcessLookupError):
            return False
        return its_own == (self.inode, self.made) and process.is_alive()

    def delete(self) -> None:
        """Remove name, bridge and addresses.

        Fine when it is gone, or when the name belongs to another namespace now.
        """
        if self.exists():
            run(["ip", "netns", "del", self.name], timeout=10)

    def inside(self, argv: Sequence[str | Path]) -> list[str]:
        """The argv that runs `argv` in this namespace."""
        return ["ip", "netns", "exec", self.name, *(os.fspath(word) for word in argv)]


def _identity(path: Path) -> tuple[int, int]:
    facts = path.stat()
    return facts.st_ino, facts.st_ctime_ns
