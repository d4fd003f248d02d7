"""Ctrl-C, SIGTERM and a closed terminal: the real command ends what it started and leaves nothing half made."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from cli.exit_codes import ExitCode
from tests.fakes.image_build.base_iso import make_base_iso
from tests.fakes.system.processes import HEARS_SIGNALS, assert_ended
from tests.paths import REPOSITORY

pytestmark = pytest.mark.integration

BUILDER = """#!/bin/sh
# A builder with a child of its own; it prints that child's id once it runs.
sleep 60 & echo $! > {ready}
wait
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupted_build_ends_its_programs_and_leaves_a_clean_cache(
    number: signal.Signals, tmp_path: Path
) -> None:
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


def test_an_interrupted_create_image_leaves_the_previous_iso(tmp_path: Path) -> None:
    base, iso = tmp_path / "base.iso", tmp_path / "site/agent.x86_64.iso"
    make_base_iso(base)
    iso.parent.mkdir()
    iso.write_text("an earlier ISO")
    os.mkfifo(iso.parent / "install-config.yaml")
    argv = ["create", "image", "--dir", str(iso.parent), "--base-iso", str(base)]
    with (
        subprocess.Popen(cluster0(*argv), cwd=REPOSITORY, env=environment(), stderr=subprocess.DEVNULL) as command,
        (iso.parent / "install-config.yaml").open("w"),  # it reads the inputs: the copy is under way
    ):
        command.send_signal(signal.SIGINT)
        assert command.wait(timeout=20) == ExitCode.INTERRUPTED
    assert iso.read_text() == "an earlier ISO"
    assert {path.name for path in iso.parent.iterdir()} == {"install-config.yaml", "agent.x86_64.iso"}


def building(directory: Path) -> subprocess.Popen[str]:
    """`cluster0 payload build`, with a builder that does not end by itself."""
    programs = directory / "programs"
    programs.mkdir()
    os.mkfifo(directory / "ready")
    (programs / "mmdebstrap").write_text(BUILDER.format(ready=directory / "ready"))
    (programs / "mmdebstrap").chmod(0o755)
    variables = environment(PATH=f"{programs}:{os.environ['PATH']}", CLUSTER0_CACHE=str(directory / "cache"))
    argv = cluster0("payload", "build", "--source", "debian", "-o", f"{directory}/payload")
    return subprocess.Popen(argv, cwd=REPOSITORY, env=variables, stderr=subprocess.PIPE, text=True)


def cluster0(*arguments: str) -> list[str]:
    return [*HEARS_SIGNALS, sys.executable, "-m", "cli", *arguments]


def environment(**more: str) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), **more}
