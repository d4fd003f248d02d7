"""The directories of a lab.

State, logs, disks and the SSH key are under `DIR/.lab`. Sockets and libvirt's private directories are under /run: a
socket's path is limited to 107 bytes, and none of them outlives a boot of this computer.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path

RUNTIME = Path("/run/cluster0-lab")


def cache() -> Path:
    """The cache of this user, for all checkouts and labs."""
    return Path(os.environ.get("CLUSTER0_CACHE") or Path.home() / ".cache/cluster0")


@dataclass(frozen=True)
class Directories:
    """The paths of the lab that belongs to the inputs directory `inputs` (absolute)."""

    inputs: Path

    @classmethod
    def of(cls, inputs: Path) -> Directories:
        return cls(inputs.resolve())

    @property
    def id(self) -> str:
        """Eight hex digits that identify this lab on this computer."""
        return hashlib.sha256(os.fspath(self.inputs).encode()).hexdigest()[:8]

    @property
    def root(self) -> Path:
        return self.inputs / ".lab"

    @property
    def ssh(self) -> Path:
        return self.root / "ssh"

    @property
    def ssh_key(self) -> Path:
        return self.ssh / "id_ed25519"

    @property
    def disks(self) -> Path:
        return self.root / "disks"

    @property
    def logs(self) -> Path:
        return self.root / "logs"

    @property
    def runtime(self) -> Path:
        return RUNTIME / self.id

    def make(self) -> None:
        """Create what is missing, mode 0700: keys and disks may hold secrets.

        Users pass through `runtime`, but cannot list it: Ignition writes below it as the user whose keys it writes.
        """
        for directory in (self.root, self.ssh, self.disks, self.logs):
            directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.runtime.mkdir(mode=0o711, parents=True, exist_ok=True)
