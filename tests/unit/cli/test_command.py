"""External programs: output, log, deadline, and the end of their whole process group."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from agent.model.problems import Problem
from cli import command
from cli.command import Commands, require_programs, run
from cli.interruption import ended_like_ctrl_c
from tests.fakes.system.processes import HEARS_SIGNALS, assert_ended


@pytest.fixture
def commands(tmp_path: Path) -> Commands:
    return Commands(tmp_path / "log", {"GREETING": "hello"})


def test_standard_output_is_returned_and_errors_are_logged(commands: Commands) -> None:
    output = commands.output(
        ["sh", "-c", 'cat; echo "$GREETING $LC_ALL"; echo diagnostics >&2'], timeout=10, stdin="from stdin\n"
    )
    assert output == "from stdin\nhello C.UTF-8\n"
    assert commands.log
    log = commands.log.read_text()
    assert "$ sh -c" in log
    assert "diagnostics" in log


def test_a_wrapper_starts_the_command_and_is_not_in_its_messages(tmp_path: Path) -> None:
    commands = Commands(tmp_path / "log", wrapper=("env", "GREETING=wrapped"))
    assert commands.output(["sh", "-c", 'echo "$GREETING"'], timeout=10) == "wrapped\n"
    with pytest.raises(Problem, match="command-failed: false failed with exit code 1"):
        commands.run(["false"], timeout=10)


def test_a_failure_names_the_command_and_shows_its_last_lines(commands: Commands) -> None:
    commands.run(["echo", "an earlier command"], timeout=10)
    with pytest.raises(Problem) as failed:
        commands.run(["sh", "-c", "seq 100; exit 3"], timeout=10)
    problem = failed.value
    assert problem.code == "command-failed"
    assert problem.title == "sh failed with exit code 3"
    assert problem.detail.splitlines()[0] == "$ sh -c 'seq 100; exit 3'"
    assert problem.detail.splitlines()[-1] == "100"
    assert "earlier" not in problem.detail
    assert str(commands.log) in problem.remedy


def test_a_deadline_ends_the_whole_process_group(commands: Commands, tmp_path: Path) -> None:
    with pytest.raises(Problem, match="command-timeout: sh did not end within 1 s"):
        commands.run(["sh", "-c", f"sleep 60 & echo $! > {tmp_path}/grandchild; wait"], timeout=1)
    assert_ended(int((tmp_path / "grandchild").read_text()))


def test_an_interrupt_ends_the_whole_process_group(tmp_path: Path) -> None:
    ready = tmp_path / "ready"
    os.mkfifo(ready)
    program = f"""
from pathlib import Path
from cli.command import Commands
Commands(Path({str(tmp_path)!r}) / "log").run(["sh", "-c", "sleep 60 & echo $! > {ready}; wait"], timeout=60)
"""
    python_path = os.pathsep.join(path for path in sys.path if path)
    argv = [*HEARS_SIGNALS, sys.executable, "-c", program]
    with subprocess.Popen(argv, stderr=subprocess.PIPE, env={**os.environ, "PYTHONPATH": python_path}) as starter:
        grandchild = int(ready.read_text())
        starter.send_signal(signal.SIGINT)
        _, errors = starter.communicate(timeout=20)
    assert b"KeyboardInterrupt" in errors
    assert_ended(grandchild)


def test_a_missing_program_is_named(commands: Commands) -> None:
    with pytest.raises(Problem, match="program-missing: no-such-program does not exist"):
        commands.run(["no-such-program"], timeout=1)
    with pytest.raises(Problem, match="command-failed: /etc does not start: Permission denied"):
        commands.run(["/etc"], timeout=1)


def test_all_missing_programs_are_named_with_their_packages() -> None:
    require_programs({"sh": "dash"})
    with pytest.raises(Problem) as missing:
        require_programs({"sh": "dash", "no-such-b": "package-b", "no-such-a": "package-a"})
    assert missing.value.title == "not installed: no-such-a, no-such-b"
    assert missing.value.remedy == "apt-get install package-a package-b"


@pytest.fixture
def short_polling_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "WAITING_SECONDS", 0.1)


@pytest.mark.usefixtures("short_polling_interval")
def test_the_log_keeps_the_output_of_all_attempts() -> None:
    calls: list[float] = []
    script = "cat; head -c 300000 /dev/zero | tr '\\0' x; sleep 0.5; echo end"
    argv = ["sh", "-c", script]
    finished = run(argv, timeout=20, stdin="start ", while_waiting=lambda: calls.append(time.monotonic()))
    assert finished.stdout == "start " + "x" * 300_000 + "end\n"
    assert calls


@pytest.mark.usefixtures("short_polling_interval")
def test_an_exception_in_while_waiting_ends_the_program(tmp_path: Path) -> None:
    grandchild = tmp_path / "grandchild"

    def fail() -> None:
        if grandchild.exists() and grandchild.read_text():
            raise Problem(code="machine-paused", title="node0: QEMU has paused it by itself")

    with pytest.raises(Problem, match="paused it by itself"):
        run(["sh", "-c", f"sleep 60 & echo $! > {grandchild}; wait"], timeout=60, while_waiting=fail)
    assert_ended(int(grandchild.read_text()))


def test_without_a_log_an_error_shows_the_last_captured_lines() -> None:
    with pytest.raises(Problem) as failed:
        run(["sh", "-c", "seq 100 >&2; exit 3"], timeout=10)
    assert failed.value.detail.splitlines()[1:] == [str(number) for number in range(81, 101)]
    assert failed.value.remedy == ""
    with pytest.raises(Problem, match=r"sh did not end within 0\.5 s") as late:
        run(["sh", "-c", "echo begun; sleep 60"], timeout=0.5)
    assert late.value.detail.splitlines()[1:] == ["begun"]


def test_an_expected_exit_code_is_no_failure() -> None:
    finished = run(["sh", "-c", "echo out; echo err >&2; exit 3"], timeout=10, check=False)
    assert (finished.exit_code, finished.stdout, finished.stderr) == (3, "out\n", "err\n")


def test_run_shown_uses_our_own_output(capfd: pytest.CaptureFixture[str]) -> None:
    assert Commands().run_shown(["sh", "-c", "echo shown; exit 4"], timeout=10) == 4
    assert capfd.readouterr().out == "shown\n"
    with pytest.raises(Problem, match=r"command-timeout: sleep did not end within 0\.1 s"):
        Commands().run_shown(["sleep", "60"], timeout=0.1)


def test_starting_a_program_leaves_our_signal_mask_unchanged(commands: Commands) -> None:
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [])
    commands.run(["true"], timeout=10)
    with pytest.raises(Problem):
        commands.run(["no-such-program"], timeout=10)
    assert signal.pthread_sigmask(signal.SIG_BLOCK, []) == before


def test_a_program_that_we_start_ends_at_sigterm_though_it_inherits_our_mask() -> None:
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        with pytest.raises(KeyboardInterrupt), ended_like_ctrl_c():
            signal.raise_signal(signal.SIGTERM)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
