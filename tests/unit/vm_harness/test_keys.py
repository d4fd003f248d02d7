"""The lab's own SSH key is used exactly when the cluster's inputs name it."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from inputs.write_manifests.create import create
from vm_harness.lab import inputs, keys
from vm_harness.lab.directories import Directories
from vm_harness.lab.topologies import TOPOLOGIES


@pytest.fixture
def directories(tmp_path: Path) -> Directories:
    directories = Directories.of(tmp_path)
    directories.ssh.mkdir(parents=True)
    return directories


def test_the_key_is_made_once_and_secret(directories: Directories) -> None:
    assert keys.ensure(directories) == keys.ensure(directories)
    assert stat.S_IMODE(directories.ssh_key.stat().st_mode) == 0o600


def test_inputs_made_up_by_the_lab_name_its_key(directories: Directories) -> None:
    inputs.write(directories.inputs, TOPOLOGIES["sno"], keys.ensure(directories))
    assert keys.accepted(directories) == directories.ssh_key


def test_manifests_of_the_labs_own_inputs_name_its_key(directories: Directories) -> None:
    inputs.write(directories.inputs, TOPOLOGIES["sno"], keys.ensure(directories))
    create(directories.inputs, force=False)
    for name in (inputs.INSTALL_CONFIG, inputs.AGENT_CONFIG):
        (directories.inputs / name).unlink()
    assert keys.accepted(directories) == directories.ssh_key


@pytest.mark.parametrize("text", ["sshKey: ssh-ed25519 AAAA somebody\n", "metadata: {}\n", "sshKey: [\n", "- a list\n"])
def test_with_anybody_elses_inputs_their_key_is_used(text: str, directories: Directories) -> None:
    keys.ensure(directories)
    (directories.inputs / inputs.INSTALL_CONFIG).write_text(text)
    assert keys.accepted(directories) is None


def test_without_inputs_no_key_is_known(directories: Directories) -> None:
    keys.ensure(directories)
    assert keys.accepted(directories) is None
