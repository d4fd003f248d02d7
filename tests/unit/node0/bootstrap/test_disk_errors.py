"""Errors of the disk are named; all others are bugs and stay what they are."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from agent.model.problems import Problem
from node0.bootstrap.disk_errors import named_disk_errors


def test_a_full_disk_is_named() -> None:
    with pytest.raises(Problem, match="No space left on device") as caught, named_disk_errors():
        Path("/dev/full").write_text("x")
    assert caught.value.code == "disk-full"
    assert "start this host again" in caught.value.remedy


@pytest.mark.parametrize("number", [errno.EROFS, errno.EIO])
def test_a_broken_disk_is_named(number: int) -> None:
    with pytest.raises(Problem, match="cannot be written") as caught, named_disk_errors():
        raise OSError(number, os.strerror(number))
    assert (caught.value.code, "dmesg" in caught.value.remedy) == ("disk-error", True)


def test_another_error_stays(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), named_disk_errors():
        (tmp_path / "missing").read_text()
