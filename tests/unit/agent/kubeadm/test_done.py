"""A mark that kubeadm has succeeded: everything that it wrote is on the disk before."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent.kubeadm import done
from agent.machine import ProcessFailed
from tests.fakes.agent.machine import Programs, machine_in

MARK = "/var/lib/cluster0/kubeadm-init.done"


async def test_the_file_system_is_synced_before_the_mark_is_there(tmp_path: Path) -> None:
    machine, programs = machine_in(tmp_path), Programs(tmp_path / "bin")
    mark = machine.files.at(MARK)
    programs.add("sync", f"test ! -e {mark}")
    await done.mark(machine, MARK)
    assert programs.calls == [f"sync --file-system {mark.parent}"]
    assert mark.exists()


async def test_there_is_no_mark_when_the_disk_does_not_take_what_was_written(tmp_path: Path) -> None:
    machine, programs = machine_in(tmp_path), Programs(tmp_path / "bin")
    programs.add("sync", "exit 1")
    with pytest.raises(ProcessFailed):
        await done.mark(machine, MARK)
    assert not machine.files.at(MARK).exists()
