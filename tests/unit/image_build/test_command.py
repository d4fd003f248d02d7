"""External programs: deadlines, the log, and nobody left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from agent.model.problems import Problem
from cli.command import Commands, require_programs
from tests.fakes.processes import HEARS_SIGNALS, assert_ended


@pytest.fixture
def commands(tmp_path: Path) -> Commands:
    return Commands(tmp_path / "log", {"GREETING": "hello"})


def test_output_and_log(commands: Commands) -> None:
    said = commands.output(["sh", "-c", 'cat; echo "$GREETING $LC_ALL"; echo aside >&2'], timeout=10, stdin="from us\n")
    assert said == "from us\nhello C.UTF-8\n"
    log = commands.log.read_text()
    assert "$ sh -c" in log
    assert "aside" in log


def test_a_wrapper_starts_the_command_and_keeps_out_of_the_words(tmp_path: Path) -> None:
    commands = Commands(tmp_path / "log", wrapper=("env", "GREETING=wrapped"))
    assert commands.output(["sh", "-c", 'echo "$GREETING"'], timeout=10) == "wrapped\n"
    with pytest.raises(Problem, match="command-failed: false failed with exit status 1"):
        commands.run(["false"], timeout=10)


def test_a_failure_tells_the_command_and_its_last_words(commands: Commands) -> None:
    commands.run(["echo", "an earlier command"], timeout=10)
    with pytest.raises(Problem) as failed:
        commands.run(["sh", "-c", "seq 100; exit 3"], timeout=10)
    problem = failed.value
    assert problem.code == "command-failed"
    assert problem.title == "sh failed with exit status 3"
    assert problem.detail.splitlines()[0] == "$ sh -c 'seq 100; exit 3'"
    assert problem.detail.splitlines()[-1] == "100"
    assert "earlier" not in problem.detail
    assert str(commands.log) in problem.remedy


def test_a_deadline_ends_the_whole_group(commands: Commands, tmp_path: Path) -> None:
    with pytest.raises(Problem, match="command-timeout: sh took longer than 1 s"):
        commands.run(["sh", "-c", f"sleep 60 & echo $! > {tmp_path}/grandchild; wait"], timeout=1)
    assert_ended(int((tmp_path / "grandchild").read_text()))


def test_an_interrupt_ends_the_whole_group(tmp_path: Path) -> None:
    ready = tmp_path / "ready"
    os.mkfifo(ready)
    program = f"""
from pathlib import Path
from cli.command import Commands
Commands(Path({str(tmp_path)!r}) / "log").run(["sh", "-c", "sleep 60 & echo $! > {ready}; wait"], timeout=60)
"""
    python_path = os.pathsep.join(path for path in sys.path if path)
    argv = [*HEARS_SIGNALS, sys.executable, "-c", program]
    with subprocess.Popen(argv, stderr=subprocess.PIPE, env={**os.environ, "PYTHONPATH": python_path}) as run:
        grandchild = int(ready.read_text())
        run.send_signal(signal.SIGINT)
        _, errors = run.communicate(timeout=20)
    assert b"KeyboardInterrupt" in errors
    assert_ended(grandchild)


def test_a_missing_program_is_named(commands: Commands) -> None:
    with pytest.raises(Problem, match="program-missing: no-such-program does not exist"):
        commands.run(["no-such-program"], timeout=1)


def test_all_missing_programs_are_named_with_their_packages() -> None:
    require_programs({"sh": "dash"})
    with pytest.raises(Problem) as missing:
        require_programs({"sh": "dash", "no-such-b": "package-b", "no-such-a": "package-a"})
    assert missing.value.title == "not installed: no-such-a, no-such-b"
    assert missing.value.remedy == "apt-get install package-a package-b"
