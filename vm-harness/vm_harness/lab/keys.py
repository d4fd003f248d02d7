"""The SSH key a lab makes for its machines."""

from __future__ import annotations

from pathlib import Path

import yaml

from cli.command import run
from vm_harness.lab import manifests
from vm_harness.lab.directories import Directories
from vm_harness.lab.inputs import INSTALL_CONFIG


def ensure(directories: Directories) -> str:
    """The lab's public key; the pair is made once and kept."""
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


def accepted(directories: Directories) -> Path | None:
    """The lab's key when the cluster's inputs name it; None when they name somebody else's, or there are none."""
    try:
        known = public_key(directories) in _ssh_keys(directories.inputs)
    except (FileNotFoundError, yaml.YAMLError, KeyError, TypeError):
        return None  # Nothing to judge here: `cluster0 create image` reads the files strictly.
    return directories.ssh_key if known else None


def _ssh_keys(inputs: Path) -> str:
    if manifests.are_present(inputs):
        return manifests.ssh_keys(inputs)
    document = yaml.load((inputs / INSTALL_CONFIG).read_text(), yaml.BaseLoader)
    return str(document["sshKey"])
