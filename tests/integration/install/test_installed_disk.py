"""A host that is installed boots the live system again: it goes on from its disk, which nothing is written to."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from agent.install import grub
from agent.install.control_plane import mount_state
from agent.install.installed_disk import installed_disks, require_not_installed
from agent.install.layout import PARTITIONS, SLOT, Layout, Part
from agent.install.mounts import WORKSHOP, mounted
from agent.install.plan import carry_out, plan
from agent.install.probe import disk_content
from agent.machine import Kernel, Machine
from agent.model.host_documents import AgentPhase, AgentStatus, HostMatch
from agent.model.host_paths import HOST_FILE, INTENT_FILE, STATE_MOUNT, STATUS_FILE
from agent.model.problems import Problem
from agent.service.run_agent import run_agent
from tests.fakes.agent.machine import Programs, ScriptedKernel
from tests.fakes.inputs.intents import CLUSTER_ID, intent

pytestmark = pytest.mark.integration

OTHER = "1c0b3e99-6f0e-4a58-9a0a-7d2f5a1f0c9e"
KERNEL, INITRAMFS = b"the kernel", b"the initramfs"


async def finish(machine: Machine, layout: Layout, word: str = "") -> str:
    """What `make_bootable` leaves on the boot partition; returns the kernel's arguments."""
    arguments = grub.kernel_arguments(layout, "console=ttyS0,115200n8")
    contents = {
        f"{SLOT}/vmlinuz": KERNEL,
        f"{SLOT}/initrd.img": INITRAMFS,
        "grub/grub.cfg": grub.menu(arguments).encode(),
        layout.marker: word.encode(),
    }
    async with mounted(machine, layout.device(Part.BOOT), "boot") as boot:
        for name, content in contents.items():
            (boot / name).parent.mkdir(parents=True, exist_ok=True)
            (boot / name).write_bytes(content)
    return " ".join(arguments)


@pytest.fixture
def installed_layout(machine: Machine, partitioned: Layout) -> Layout:
    """The partitions of `partitioned`, as the machine's kernel lists them after a boot."""
    name = Path(partitioned.disk).name
    for partition in PARTITIONS:
        uevent = f"DEVTYPE=partition\nPARTN={partition.number}\nPARTNAME={partition.name}\n"
        machine.files.write(f"/sys/block/{name}/{name}p{partition.number}/uevent", uevent)
    machine.files.write("/sys/class/dmi/id/product_uuid", partitioned.host_id)
    return partitioned


@pytest.fixture
def boot(machine: Machine) -> Callable[..., tuple[Machine, ScriptedKernel]]:
    """`boot(command_line, refusal)`: the machine, booted again from the medium."""
    root = machine.files.root
    (root / "proc").unlink()
    (root / "proc/self").mkdir(parents=True)
    (root / "proc/self/mountinfo").symlink_to("/proc/self/mountinfo")

    def start(command_line: str = "", refusal: OSError | None = None) -> tuple[Machine, ScriptedKernel]:
        machine.files.write("/proc/cmdline", f"cluster0.medium=network {command_line}\n")
        machine.files.save(INTENT_FILE, intent())
        machine.files.save(HOST_FILE, HostMatch(index=-1, why="no host of the inputs"))
        kernel = ScriptedKernel(refusal=refusal)
        return replace(machine, kernel=kernel), kernel

    return start


def status(machine: Machine) -> AgentStatus:
    found = machine.files.load(STATUS_FILE, AgentStatus)
    assert found
    return found


async def test_an_installed_host_starts_its_disk_as_its_grub_would(
    machine: Machine, installed_layout: Layout, boot: Callable[..., tuple[Machine, ScriptedKernel]]
) -> None:
    arguments = await finish(machine, installed_layout)
    programs = Programs(machine.files.root.parent / "bin")
    programs.add("systemctl")
    live, kernel = boot()
    await run_agent(live)
    assert kernel.next == (KERNEL, INITRAMFS, arguments)
    assert programs.calls[-1] == "systemctl kexec"
    assert status(live).phase is AgentPhase.ALREADY_INSTALLED
    assert not status(live).problems
    assert not machine.files.names(WORKSHOP)


async def test_an_installed_host_that_cannot_start_its_disk_says_what_to_do(
    machine: Machine, installed_layout: Layout, boot: Callable[..., tuple[Machine, ScriptedKernel]]
) -> None:
    await finish(machine, installed_layout)
    live, _ = boot(refusal=OSError(errno.EKEYREJECTED, os.strerror(errno.EKEYREJECTED)))
    await run_agent(live)
    (problem,) = status(live).problems
    assert (status(live).phase, problem.code) == (AgentPhase.ALREADY_INSTALLED, "already-installed")
    assert "Key was rejected" in problem.detail
    assert "boot order" in problem.remedy


async def test_a_disk_without_a_menu_is_kept_and_the_user_is_asked(
    machine: Machine, installed_layout: Layout, boot: Callable[..., tuple[Machine, ScriptedKernel]]
) -> None:
    await finish(machine, installed_layout)
    async with mounted(machine, installed_layout.device(Part.BOOT), "boot") as partition:
        (partition / "grub/grub.cfg").write_text("# nothing\n")
    live, kernel = boot()
    await run_agent(live)
    assert kernel.next is None
    assert "grub.cfg names no kernel" in status(live).problems[0].detail


async def test_the_search_writes_nothing_not_even_to_replay_a_journal(
    machine: Machine, installed_layout: Layout
) -> None:
    async def superblock() -> str:
        return (await machine.processes.run(["dumpe2fs", "-h", device])).stdout

    await finish(machine, installed_layout)
    device = installed_layout.device(Part.BOOT)
    await machine.processes.run(["debugfs", "-w", "-R", "feature needs_recovery", device])
    before = await superblock()
    await machine.processes.run(["blockdev", "--setro", device])
    (found,) = await installed_disks(machine, CLUSTER_ID, installed_layout.host_id)
    await machine.processes.run(["blockdev", "--setrw", device])
    assert found.is_own
    assert "needs_recovery" in before
    assert await superblock() == before


async def test_a_disk_that_is_written_in_part_or_belongs_to_another_cluster_is_not_installed(
    machine: Machine, installed_layout: Layout
) -> None:
    assert await installed_disks(machine, CLUSTER_ID, installed_layout.host_id) == ()
    await finish(machine, replace(installed_layout, cluster_id=OTHER))
    assert await installed_disks(machine, CLUSTER_ID, installed_layout.host_id) == ()
    await require_not_installed(machine, installed_layout)


async def test_a_damaged_boot_partition_is_not_installed(machine: Machine, installed_layout: Layout) -> None:
    await finish(machine, installed_layout)
    device = installed_layout.device(Part.BOOT)
    await machine.processes.run(["dd", "if=/dev/zero", f"of={device}", "bs=4096", "seek=1", "count=64", "conv=notrunc"])
    assert await installed_disks(machine, CLUSTER_ID, installed_layout.host_id) == ()
    assert not machine.files.at(f"{WORKSHOP}/installed").is_mount()


async def test_the_disk_of_another_host_is_not_started_and_not_overwritten(
    machine: Machine, installed_layout: Layout, boot: Callable[..., tuple[Machine, ScriptedKernel]]
) -> None:
    await finish(machine, installed_layout)
    (found,) = await installed_disks(machine, CLUSTER_ID, OTHER)
    assert not found.is_own
    with pytest.raises(Problem, match="Another host") as refused:
        await require_not_installed(machine, replace(installed_layout, host_id=OTHER))
    assert refused.value.code == "already-installed"
    await require_not_installed(machine, replace(installed_layout, host_id=OTHER, disk="/dev/another"))


async def test_a_boot_that_requests_it_installs_again_and_once(
    machine: Machine, installed_layout: Layout, boot: Callable[..., tuple[Machine, ScriptedKernel]]
) -> None:
    await finish(machine, installed_layout, word="first")
    live, _ = boot("cluster0.install=second")
    await require_not_installed(live, installed_layout)
    await finish(machine, installed_layout, word="second")
    with pytest.raises(Problem, match="installed"):
        await require_not_installed(live, installed_layout)


async def test_the_menus_entry_installs_again_each_time(
    machine: Machine, installed_layout: Layout, boot: Callable[..., tuple[Machine, ScriptedKernel]]
) -> None:
    await finish(machine, installed_layout, word="again")
    live, _ = boot("cluster0.install=again")
    await require_not_installed(live, installed_layout)


async def test_an_install_of_this_boot_is_no_installed_host(
    machine: Machine, installed_layout: Layout, boot: Callable[..., tuple[Machine, ScriptedKernel]]
) -> None:
    """The agent was started again after its disk became bootable: it registers, and its install goes on."""
    await finish(machine, installed_layout)
    live, kernel = boot()
    await mount_state(live, installed_layout)
    try:
        with pytest.raises(FileNotFoundError, match=r"agent\.token"):
            await run_agent(live)
    finally:
        await live.processes.run(["umount", str(live.files.at(STATE_MOUNT))])
    assert kernel.next is None


async def test_a_second_install_takes_the_marker_away_first(machine: Machine, installed_layout: Layout) -> None:
    await finish(machine, installed_layout)
    first, *_ = plan(await disk_content(machine, installed_layout.disk), installed_layout, consent=False)
    await carry_out(machine, [first])
    assert await installed_disks(machine, CLUSTER_ID, installed_layout.host_id) == ()


def test_the_kernel_refuses_a_file_that_is_no_kernel(tmp_path: Path) -> None:
    shutil.copyfile("/etc/hostname", tmp_path / "file")
    with pytest.raises(OSError, match="kexec_file_load"):
        Kernel().load_next(tmp_path / "file", tmp_path / "file", "console=ttyS0")
