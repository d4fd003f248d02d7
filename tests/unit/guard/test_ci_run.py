"""`.ci/run`, with a `make` that only says what the real one would."""

from __future__ import annotations

import os
import shutil
import signal
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
    e2e-vm) echo 'skipped 1: no sound'; echo '=== 5 passed, 1 skipped in 500.00s (0:08:20) ==='; chrt -p $$ > policy
        [ ! -p never-ends ] || cat never-ends ;;
    e2e-containers) echo 'skipped 0'; echo '=== 3 passed in 600.12s (0:10:00) ==='; echo .
        echo 'skipped 0'; echo '=== 4 passed in 700.50s (0:11:40) ==='; echo 'make: a last word' ;;
esac
[ "$1" != "$FAILS" ]
"""


def prepare(directory: Path, fails: str = "") -> dict[str, str]:
    """The script in a checkout at `directory`, where the target `fails` fails. Returns its environment."""
    (directory / ".ci").mkdir()
    shutil.copy(REPOSITORY / ".ci/run", directory / ".ci/run")
    make = directory / "bin/make"
    make.parent.mkdir()
    make.write_text(MAKE)
    make.chmod(0o755)
    return {**os.environ, "PATH": f"{make.parent}:{os.environ['PATH']}", "FAILS": fails}


def run(directory: Path, fails: str = "") -> subprocess.CompletedProcess[str]:
    environment = prepare(directory, fails)
    return subprocess.run([directory / ".ci/run"], env=environment, capture_output=True, text=True, check=False)


def test_what_tests_need_is_built_before_them(tmp_path: Path) -> None:
    assert run(tmp_path).returncode == 0
    targets = (tmp_path / "targets").read_text().split()
    assert (targets[0], set(targets[1:3]), targets[3:]) == ("image", {"test", "e2e-vm"}, ["e2e-containers"])
    assert set((tmp_path / "environment").read_text().splitlines()) == {"CI is true"}


def test_virtual_machines_get_what_the_tests_leave(tmp_path: Path) -> None:
    run(tmp_path)
    assert "SCHED_IDLE" in (tmp_path / "policy").read_text()


def test_a_run_that_is_ended_leaves_no_virtual_machines(tmp_path: Path) -> None:
    environment = prepare(tmp_path)
    never_ends = tmp_path / "never-ends"
    os.mkfifo(never_ends)
    started = subprocess.Popen([tmp_path / ".ci/run"], env=environment, stdout=subprocess.DEVNULL)
    with started as ci, never_ends.open("wb"):  # opened once the virtual machines' make reads it
        ci.terminate()
        assert ci.wait() == -signal.SIGTERM


def test_the_end_says_what_was_skipped_and_last_how_each_pytest_ended(tmp_path: Path) -> None:
    end = run(tmp_path).stdout.splitlines()[-12:]
    assert end[:4] == [
        "ci: make test: skipped 2: no bonding in the kernel",
        "ci: make e2e-vm: skipped 1: no sound",
        *["ci: make e2e-containers: skipped 0"] * 2,
    ]
    assert [line.rpartition(" after ")[0] for line in end[4:8]] == [
        "ci: Kubernetes and the base ISO: passed",
        "ci: tests: passed",
        "ci: the proof with virtual machines: passed",
        "ci: the proof with containers: passed",
    ]
    assert end[8:] == [
        "=== 9 passed, 2 skipped in 60.00s (0:01:00) ===",
        "=== 5 passed, 1 skipped in 500.00s (0:08:20) ===",
        "=== 3 passed in 600.12s (0:10:00) ===",
        "=== 4 passed in 700.50s (0:11:40) ===",
    ]


@pytest.mark.parametrize("target", ["image", "test", "e2e-vm", "e2e-containers"])
def test_one_tier_that_fails_fails_the_run_and_the_others_still_run(target: str, tmp_path: Path) -> None:
    (tmp_path / "evidence").mkdir()
    (tmp_path / "evidence/node0.log").write_text("kernel panic")
    ended = run(tmp_path, fails=target)
    assert ended.returncode == 1
    assert ended.stdout.count("FAILED after") == 2  # when the tier ends, and at the end
    assert ended.stdout.count("passed after") == 6
    assert "kernel panic" in ended.stdout
    assert set((tmp_path / "targets").read_text().split()) == {"image", "test", "e2e-vm", "e2e-containers"}
