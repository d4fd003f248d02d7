"""What this host can tell of a failure: its journal and its state, as one archive. Secrets are taken out by node0."""

from __future__ import annotations

import tarfile
from pathlib import Path

from agent.machine import Machine, ProcessFailed

SECONDS = 60.0

COMMANDS: dict[str, tuple[str, ...]] = {
    "journal.txt": ("journalctl", "--boot", "--no-pager", "--output=short-iso", "--lines=20000"),
    "dmesg.txt": ("dmesg",),
    "disks.txt": ("lsblk", "--output=NAME,SIZE,TYPE,FSTYPE,LABEL,MOUNTPOINTS,MODEL,SERIAL"),
    "mounts.txt": ("findmnt",),
    "addresses.txt": ("ip", "address"),
    "routes.txt": ("ip", "route", "show", "table", "all"),
    "units.txt": ("systemctl", "--no-pager", "list-units", "--all"),
}


async def gather(machine: Machine, directory: Path) -> Path:
    """An archive in `directory` with a file for each of `COMMANDS`; what did not work says so in its place."""
    archive = directory / "logs.tar.gz"
    for name, command in COMMANDS.items():
        (directory / name).write_text(await _output(machine, command))
    with tarfile.open(archive, "w:gz") as tar:
        for name in COMMANDS:
            tar.add(directory / name, arcname=name)
    return archive


async def _output(machine: Machine, command: tuple[str, ...]) -> str:
    try:
        return (await machine.processes.run(command, timeout=SECONDS)).stdout
    except ProcessFailed as problem:
        return f"{problem}\n"
