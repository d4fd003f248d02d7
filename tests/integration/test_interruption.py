"""Ctrl-C, SIGTERM and a closed terminal: the real command ends what it started and leaves nothing half made."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from image_build.terminal.exit_codes import ExitCode
from tests.fakes.node0 import REPOSITORY
from tests.fakes.processes import HEARS_SIGNALS, assert_ended

pytestmark = pytest.mark.integration

BUILDER = """#!/bin/sh
# A builder with a child of its own; it tells that child's id once it is under way.
sleep 60 & echo $! > {ready}
wait
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_builders_end_and_the_cache_stays_clean(number: signal.Signals, tmp_path: Path) -> None:
    with building(tmp_path) as command:
        grandchild = int((tmp_path / "ready").read_text())
        command.send_signal(number)
        _, errors = command.communicate(timeout=20)
    assert command.returncode == ExitCode.INTERRUPTED
    assert errors.endswith("Interrupted.\n")
    assert_ended(grandchild)
    assert not (tmp_path / "payload").exists()
    left = [path for path in (tmp_path / "cache").rglob("*") if path.is_file() and path.suffix not in {".lock", ".log"}]
    assert left == []


def building(directory: Path) -> subprocess.Popen[str]:
    """`cluster0 payload build`, with a builder that does not end by itself."""
    programs = directory / "programs"
    programs.mkdir()
    os.mkfifo(directory / "ready")
    (programs / "mmdebstrap").write_text(BUILDER.format(ready=directory / "ready"))
    (programs / "mmdebstrap").chmod(0o755)
    environment = {
        **os.environ,
        "PATH": f"{programs}:{os.environ['PATH']}",
        "CLUSTER0_CACHE": str(directory / "cache"),
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
    }
    python = [*HEARS_SIGNALS, sys.executable]
    argv = [*python, "-m", "image_build", "payload", "build", "--source", "debian", "-o", f"{directory}/payload"]
    return subprocess.Popen(argv, cwd=REPOSITORY, env=environment, stderr=subprocess.PIPE, text=True)
