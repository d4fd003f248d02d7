"""A network namespace per lab: it isolates the lab's bridge, addresses and libvirtd from this computer's."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import msgspec

from cli.command import run
from vm_harness.processes import ProcessId

NAMED = Path("/run/netns")
"""iproute2's directory of named namespaces, see ip-netns(8)."""


class Namespace(msgspec.Struct, frozen=True):
    """A named namespace; `inode` and `made` distinguish it from a later one of the same name.

    `inode`: the kernel's number, which is used again after the namespace is deleted; `made`: ctime of the inode, in ns.
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
        """The namespace that has this name now, if any."""
        try:
            return cls(name, *_identity(NAMED / name))
        except FileNotFoundError:
            return None

    def exists(self) -> bool:
        return Namespace.find(self.name) == self

    def contains(self, process: ProcessId) -> bool:
        """Whether the process runs in this namespace; only the lab starts processes there."""
        try:
            its_own = _identity(Path(f"/proc/{process.pid}/ns/net"))
        except (FileNotFoundError, ProcessLookupError):
            return False
        return its_own == (self.inode, self.made) and process.is_alive()

    def delete(self) -> None:
        """Remove name, bridge and addresses; nothing when the name is gone or belongs to another namespace now."""
        if self.exists():
            run(["ip", "netns", "del", self.name], timeout=10)

    def inside(self, argv: Sequence[str | Path]) -> list[str]:
        """The argv that runs `argv` in this namespace."""
        return ["ip", "netns", "exec", self.name, *(os.fspath(word) for word in argv)]


def _identity(path: Path) -> tuple[int, int]:
    facts = path.stat()
    return facts.st_ino, facts.st_ctime_ns
