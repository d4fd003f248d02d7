"""`.ci/run`, with a `make` that only says what the real one would."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.paths import REPOSITORY

MAKE = """#!/bin/sh
echo "CI is $CI" >> environment
echo "$1" >> targets
case $1 in
    image) echo /cache/base.iso ;;
    test) echo 'skipped 2: no bonding in the kernel'; echo '=== 9 passed, 2 skipped in 60.00s (0:01:00) ===' ;;
    e2e) echo 'skipped 0'; echo '=== 3 passed in 600.12s (0:10:00) ==='; echo .
        echo 'skipped 0'; echo '=== 4 passed in 700.50s (0:11:40) ==='; echo 'make: a last word' ;;
esac
[ "$1" != "$FAILS" ]
"""


def run(directory: Path, fails: str = "") -> subprocess.CompletedProcess[str]:
    """The script in a checkout at `directory`, where the target `fails` fails."""
    (directory / ".ci").mkdir()
    shutil.copy(REPOSITORY / ".ci/run", directory / ".ci/run")
    make = directory / "bin/make"
    make.parent.mkdir()
    make.write_text(MAKE)
    make.chmod(0o755)
    environment = {**os.environ, "PATH": f"{make.parent}:{os.environ['PATH']}", "FAILS": fails}
    return subprocess.run([directory / ".ci/run"], env=environment, capture_output=True, text=True, check=False)


def test_what_tests_need_is_built_before_them(tmp_path: Path) -> None:
    assert run(tmp_path).returncode == 0
    assert (tmp_path / "targets").read_text().split() == ["image", "test", "e2e"]
    assert set((tmp_path / "environment").read_text().splitlines()) == {"CI is true"}


def test_the_end_says_what_was_skipped_and_last_how_each_pytest_ended(tmp_path: Path) -> None:
    end = run(tmp_path).stdout.splitlines()[-9:]
    assert end[:3] == ["ci: make test: skipped 2: no bonding in the kernel", *["ci: make e2e: skipped 0"] * 2]
    assert [line.rpartition(" after ")[0] for line in end[3:6]] == [
        "ci: Kubernetes and the base ISO: passed",
        "ci: tests: passed",
        "ci: the proof with machines: passed",
    ]
    assert end[6:] == [
        "=== 9 passed, 2 skipped in 60.00s (0:01:00) ===",
        "=== 3 passed in 600.12s (0:10:00) ===",
        "=== 4 passed in 700.50s (0:11:40) ===",
    ]


@pytest.mark.parametrize("target", ["image", "test", "e2e"])
def test_one_tier_that_fails_fails_the_run_and_the_others_still_run(target: str, tmp_path: Path) -> None:
    (tmp_path / "evidence").mkdir()
    (tmp_path / "evidence/node0.log").write_text("kernel panic")
    ended = run(tmp_path, fails=target)
    assert ended.returncode == 1
    assert ended.stdout.count("FAILED after") == 2  # when the tier ends, and at the end
    assert ended.stdout.count("passed after") == 4
    assert "kernel panic" in ended.stdout
    assert (tmp_path / "targets").read_text().split() == ["image", "test", "e2e"]
