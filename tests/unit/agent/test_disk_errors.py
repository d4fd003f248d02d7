"""Errors of the disk are named; all others are bugs and stay what they are."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from agent.machine.disk_errors import disk_problem, named_disk_errors
from agent.model.problems import Problem

WHAT = "/state cannot be written"


def test_a_full_disk_is_named() -> None:
    again = "Then start this host again."
    with pytest.raises(Problem, match="No space left on device") as caught, named_disk_errors(WHAT, then=again):
        Path("/dev/full").write_text("x")
    assert caught.value.code == "disk-full"
    assert caught.value.remedy.endswith(f"rootDeviceHints. {again}")


def test_a_disk_over_its_quota_is_full() -> None:
    problem = disk_problem(OSError(errno.EDQUOT, os.strerror(errno.EDQUOT)), WHAT)
    assert (problem.code, "larger disk" in problem.remedy) == ("disk-full", True)


@pytest.mark.parametrize("number", [errno.EROFS, errno.EIO])
def test_a_broken_disk_is_named(number: int) -> None:
    with pytest.raises(Problem, match=f"{WHAT}: ") as caught, named_disk_errors(WHAT):
        raise OSError(number, os.strerror(number))
    assert (caught.value.code, "dmesg" in caught.value.remedy) == ("disk-error", True)


def test_another_error_stays(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), named_disk_errors(WHAT):
        (tmp_path / "missing").read_text()
