"""Ignition's part of an install: into the overlay on the disk, by the real Ignition."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agent.install.ignite import apply, check
from agent.install.layout import OVERLAY_UPPER, OVERLAY_WORK, Layout, Part
from agent.install.mounts import WORKSHOP, mounted
from agent.machine import Machine
from agent.model.problems import Problem
from ignition import compose

pytestmark = pytest.mark.integration


@pytest.fixture
async def overlay(machine: Machine, partitioned: Layout) -> AsyncIterator[Path]:
    """The root of the machine that runs the tests, as an install sees its image: below an overlay on the disk."""
    async with mounted(machine, partitioned.device(Part.STATE), "state") as state:
        upper, work = state / OVERLAY_UPPER, state / OVERLAY_WORK
        work.mkdir(parents=True)
        (upper / "etc/selinux").mkdir(parents=True)
        (upper / "etc/selinux/config").write_text("SELINUX=disabled\nSELINUXTYPE=none\n")  # as our image has it
        options = f"lowerdir=/,upperdir={upper},workdir={work}"
        async with mounted(machine, "overlay", "root", kind="overlay", options=options):
            yield upper


async def test_ignition_writes_into_the_upper_directory_only(machine: Machine, overlay: Path) -> None:
    unit = "[Service]\nExecStart=/bin/true\n[Install]\nWantedBy=multi-user.target\n"
    config = compose.config(
        files=[
            compose.file("/etc/cluster0/host.token", "secret", mode=0o600),
            compose.file("/etc/hostname", "node0\n"),
        ],
        users=[compose.user("core", ssh_keys=["ssh-ed25519 AAAA me"])],
        units=[compose.unit("cluster0-test.service", unit, enabled=True)],
    )
    await check(machine, config)
    await apply(machine, config, machine.files.at(f"{WORKSHOP}/root"))
    token = overlay / "etc/cluster0/host.token"
    assert (token.read_text(), token.stat().st_mode & 0o777) == ("secret", 0o600)
    assert (overlay / "etc/hostname").read_text() == "node0\n"
    assert (overlay / "home/core/.ssh/authorized_keys").read_text().strip() == "ssh-ed25519 AAAA me"
    assert (overlay / "etc/systemd/system/multi-user.target.wants/cluster0-test.service").is_symlink()
    assert [name for name in machine.files.names("/run/cluster0") if name.startswith("ignition")] == []


async def test_a_failing_ignition_is_explained_without_the_config(machine: Machine, overlay: Path) -> None:
    (overlay / "etc/selinux/config").unlink()
    config = compose.config(files=[compose.file("/etc/cluster0/host.token", "secret", mode=0o600)])
    with pytest.raises(Problem) as caught:
        await apply(machine, config, machine.files.at(f"{WORKSHOP}/root"))
    assert caught.value.code == "ignition-failed"
    assert "/etc/selinux/config" in caught.value.detail
    assert config.storage.files[0].contents.source not in str(caught.value)


async def test_an_invalid_config_is_not_applied(machine: Machine) -> None:
    with pytest.raises(Problem) as caught:
        await check(machine, compose.config(files=[compose.file("relative", "x")]))
    assert caught.value.code == "ignition-invalid"
    assert "path not absolute" in caught.value.detail


async def test_overrides_are_merged_by_ignition_itself(machine: Machine, overlay: Path) -> None:
    """Replaced, added and switched on; of two overrides the last one counts."""
    unit = "[Service]\nExecStart=/bin/true\n[Install]\nWantedBy=multi-user.target\n"
    for_all = compose.config(
        files=[compose.file("/etc/motd", "of all"), compose.file("/etc/issue", "of all")],
        units=[compose.unit("site.service", unit, enabled=True)],
    )
    for_one = compose.config(files=[compose.file("/etc/issue", "of one", mode=0o600)])
    config = compose.config(
        files=[compose.file("/etc/motd", "ours"), compose.file("/etc/hostname", "node0\n")],
        merged=[compose.encode(for_all), compose.encode(for_one)],
    )
    await check(machine, config)
    await apply(machine, config, machine.files.at(f"{WORKSHOP}/root"))
    written = {name: (overlay / "etc" / name).read_text() for name in ("motd", "issue", "hostname")}
    assert written == {"motd": "of all", "issue": "of one", "hostname": "node0\n"}
    assert (overlay / "etc/issue").stat().st_mode & 0o777 == 0o600
    assert (overlay / "etc/systemd/system/multi-user.target.wants/site.service").is_symlink()
