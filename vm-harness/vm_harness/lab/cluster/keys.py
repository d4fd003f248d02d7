"""The SSH key a lab makes for its machines."""

from __future__ import annotations

from pathlib import Path

from agent.model.intent import ClusterIntent
from cli.command import run
from vm_harness.lab.directories import Directories


def ensure(directories: Directories) -> str:
    """The lab's public key; the key pair is made once and kept."""
    if not directories.ssh_key.exists():
        argv: list[str | Path] = [
            "ssh-keygen",
            "-q",
            "-t",
            "ed25519",
            "-N",
            "",
            "-C",
            f"lab-{directories.id}",
            "-f",
            directories.ssh_key,
        ]
        run(argv, timeout=30)
    return public_key(directories)


def public_key(directories: Directories) -> str:
    return directories.ssh_key.with_suffix(".pub").read_text().strip()


def is_accepted(directories: Directories, intent: ClusterIntent | None) -> bool:
    """Whether the cluster's hosts accept the lab's key. Without inputs (None) it is not known: False."""
    return intent is not None and public_key(directories) in intent.ssh_keys
