"""The disk part of an install on a real block device, with the real tools; boot loaders are proved by VMs."""

from __future__ import annotations

import asyncio
import hashlib
import os
from pathlib import Path

import pytest

from agent.install.boot import make_bios_skip_disk
from agent.install.layout import SLOT, Layout, Part
from agent.install.medium import COPIED, FileDigest, Medium, read_medium
from agent.install.mounts import WORKSHOP, mounted, unmount_leftovers
from agent.install.plan import carry_out, plan
from agent.install.probe import disk_content
from agent.install.write import write_image
from agent.machine import Machine
from agent.model.host_paths import MEDIUM_MOUNT
from agent.model.problems import Problem
from agent.model.states import Stage

pytestmark = pytest.mark.integration

MIB = 1 << 20


@pytest.fixture
def medium(machine: Machine) -> Medium:
    files = {}
    for number, path in enumerate(COPIED, start=1):
        content = os.urandom(number * 9 * MIB + number)
        machine.files.write(f"{MEDIUM_MOUNT}/{path}", content)
        files[path] = FileDigest(size=len(content), sha256=hashlib.sha256(content).hexdigest())
    medium = Medium(files=files)
    machine.files.save(f"{MEDIUM_MOUNT}/cluster0.json", medium)
    return medium


async def no_report(stage: Stage, info: str) -> None:
    pass


async def test_partitions_have_the_designs_names_types_and_ids(machine: Machine, partitioned: Layout) -> None:
    content = await disk_content(machine, partitioned.disk)
    assert [(item.content, item.label, item.guid) for item in content.found] == [
        ("", "", ""),
        ("", "cluster0-bios", partitioned.guid(Part.BIOS)),
        ("vfat", "CLUSTER0ESP", partitioned.guid(Part.ESP)),
        ("ext4", "cluster0-boot", partitioned.guid(Part.BOOT)),
        ("ext4", "cluster0-state", partitioned.guid(Part.STATE)),
    ]
    uuid = await machine.processes.run(["blkid", "-p", "-s", "UUID", "-o", "value", partitioned.device(Part.STATE)])
    assert uuid.stdout.strip() == partitioned.guid(Part.STATE)
    table = await machine.processes.run(["sgdisk", "--print", partitioned.disk])
    assert [line.split()[-2:] for line in table.stdout.splitlines()[-4:]] == [
        ["EF02", "cluster0-bios"],
        ["EF00", "cluster0-esp"],
        ["8300", "cluster0-boot"],
        ["8300", "cluster0-state"],
    ]


async def test_an_interrupted_install_is_known_as_our_own_and_done_again(machine: Machine, partitioned: Layout) -> None:
    again = plan(await disk_content(machine, partitioned.disk), partitioned, consent=False)
    await carry_out(machine, again)
    async with mounted(machine, partitioned.device(Part.STATE), "state") as state:
        assert [path.name for path in state.iterdir()] == ["lost+found"]


async def test_foreign_data_survives_without_consent(machine: Machine, disk: Layout) -> None:
    await machine.processes.run(["mkfs.ext4", "-q", "-L", "photos", disk.disk])
    with pytest.raises(Problem) as caught:
        plan(await disk_content(machine, disk.disk), disk, consent=False)
    assert caught.value.code == "disk-has-data"
    assert "'photos'" in caught.value.detail
    await carry_out(machine, plan(await disk_content(machine, disk.disk), disk, consent=True))


async def test_a_mounted_disk_is_in_use(machine: Machine, partitioned: Layout) -> None:
    async with mounted(machine, partitioned.device(Part.STATE), "state"):
        content = await disk_content(machine, partitioned.disk)
        with pytest.raises(Problem, match="is in use") as caught:
            plan(content, partitioned, consent=True)
    assert caught.value.code == "disk-in-use"


async def test_the_skip_boot_sector_keeps_the_partition_table(machine: Machine, partitioned: Layout) -> None:
    make_bios_skip_disk(machine, partitioned.disk)
    copied = machine.files.at("/first-sector")
    await machine.processes.run(["dd", f"if={partitioned.disk}", f"of={copied}", "bs=512", "count=1"])
    first_sector = copied.read_bytes()
    assert first_sector.startswith(b"\xcd\x18")
    assert first_sector.endswith(b"\x55\xaa")
    verified = await machine.processes.run(["sgdisk", "--verify", partitioned.disk])
    assert "No problems found" in verified.stdout


async def test_the_image_is_written_and_its_percentage_reported(
    machine: Machine, partitioned: Layout, medium: Medium
) -> None:
    reports: list[tuple[Stage, str]] = []

    async def report(stage: Stage, info: str) -> None:
        reports.append((stage, info))

    async with mounted(machine, partitioned.device(Part.BOOT), "boot") as boot:
        await write_image(machine, read_medium(machine), boot, report)
        for path in COPIED:
            written = (boot / SLOT / Path(path).name).read_bytes()
            assert hashlib.sha256(written).hexdigest() == medium.files[path].sha256
    assert reports[0] == (Stage.WRITING_IMAGE, "0%")
    assert reports[-1] == (Stage.WRITING_IMAGE, "100%")


async def test_a_corrupted_image_stops_the_install_and_leaves_no_mount(
    machine: Machine, partitioned: Layout, medium: Medium
) -> None:
    with machine.files.at(f"{MEDIUM_MOUNT}/live/rootfs.img").open("r+b") as image:
        image.seek(5 * MIB)
        image.write(b"rotten")
    with pytest.raises(Problem) as caught:
        async with mounted(machine, partitioned.device(Part.BOOT), "boot") as boot:
            await write_image(machine, medium, boot, no_report)
    assert caught.value.code == "image-checksum-mismatch"
    assert "rootfs.img" in caught.value.title
    assert not machine.files.names(WORKSHOP)


async def test_a_cancelled_copy_lets_go_of_the_disk(machine: Machine, partitioned: Layout, medium: Medium) -> None:
    begun = asyncio.Event()

    async def report(stage: Stage, info: str) -> None:
        begun.set()

    async with mounted(machine, partitioned.device(Part.BOOT), "boot") as boot:
        writing = asyncio.create_task(write_image(machine, medium, boot, report))
        await begun.wait()
        writing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await writing
    assert not machine.files.names(WORKSHOP)


async def test_an_image_larger_than_its_partition_is_refused_before_a_byte(
    machine: Machine, partitioned: Layout, medium: Medium
) -> None:
    huge = Medium(files={**medium.files, COPIED[-1]: FileDigest(size=3 << 30, sha256="")})
    async with mounted(machine, partitioned.device(Part.BOOT), "boot") as boot:
        with pytest.raises(Problem) as caught:
            await write_image(machine, huge, boot, no_report)
        assert caught.value.code == "image-too-large"
        assert not (boot / SLOT).exists()


async def test_mounts_of_a_killed_install_are_undone(machine: Machine, partitioned: Layout) -> None:
    where = machine.files.at(f"{WORKSHOP}/boot")
    where.mkdir(parents=True)
    await machine.processes.run(["mount", partitioned.device(Part.BOOT), str(where)])
    await unmount_leftovers(machine)
    assert not where.is_mount()
