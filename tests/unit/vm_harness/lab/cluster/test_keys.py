"""The SSH key a lab makes for its machines, and whether a cluster's hosts let it in."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from inputs.write_manifests.create import create
from vm_harness.lab.cluster import inputs, keys, made_up
from vm_harness.lab.cluster.topologies import TOPOLOGIES
from vm_harness.lab.directories import Directories

USERS_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ0lYH4zZ0oWkP2Jm2Rk3y1m8r0Zb0q5d2bq8mJ9Xh3T you@laptop"


@pytest.fixture
def directories(tmp_path: Path) -> Directories:
    directories = Directories.of(tmp_path)
    directories.ssh.mkdir(parents=True)
    return directories


def test_the_key_is_made_once_and_only_its_owner_can_read_it(directories: Directories) -> None:
    assert keys.ensure(directories) == keys.ensure(directories) == keys.public_key(directories)
    assert stat.S_IMODE(directories.ssh_key.stat().st_mode) == 0o600


def test_hosts_of_made_up_inputs_accept_the_labs_key(directories: Directories) -> None:
    made_up.write(directories.inputs, TOPOLOGIES["sno"], keys.ensure(directories))
    assert keys.is_accepted(directories, inputs.read(directories.inputs))


def test_hosts_of_manifests_that_name_the_labs_key_accept_it(directories: Directories) -> None:
    made_up.write(directories.inputs, TOPOLOGIES["sno"], keys.ensure(directories))
    create(directories.inputs, force=False)
    for name in inputs.CLUSTER_FILES:
        (directories.inputs / name).unlink()
    assert keys.is_accepted(directories, inputs.read(directories.inputs))


def test_hosts_of_inputs_with_another_key_do_not_accept_the_labs(directories: Directories) -> None:
    keys.ensure(directories)
    made_up.write(directories.inputs, TOPOLOGIES["sno"], USERS_KEY)
    assert not keys.is_accepted(directories, inputs.read(directories.inputs))


def test_hosts_of_an_iso_without_inputs_are_not_known_to_accept_a_key(directories: Directories) -> None:
    keys.ensure(directories)
    assert not keys.is_accepted(directories, None)
