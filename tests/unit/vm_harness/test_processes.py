"""Processes, identified by id and start time."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from vm_harness.processes import ProcessId, spawn


@pytest.fixture
def sleeper() -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(["sleep", "60"]) as process:
        yield process
        process.kill()


def test_a_process_is_alive_until_it_is_ended(sleeper: subprocess.Popen[bytes]) -> None:
    process = ProcessId.of(sleeper.pid)
    assert process.is_alive()
    process.end()
    assert not process.is_alive()
    process.end()


def test_a_later_process_with_the_same_id_is_not_ended(sleeper: subprocess.Popen[bytes]) -> None:
    recycled = ProcessId(sleeper.pid, ProcessId.of(sleeper.pid).started - 1)
    assert not recycled.is_alive()
    recycled.end()
    recycled.kill()
    assert sleeper.poll() is None


def test_a_process_that_ignores_sigterm_is_killed() -> None:
    script = "trap '' TERM; echo ready; while :; do read line || sleep 1; done"
    with subprocess.Popen(["sh", "-c", script], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as stubborn:
        assert stubborn.stdout
        stubborn.stdout.readline()
        ProcessId.of(stubborn.pid).end(grace=0.1)
        assert stubborn.wait() in (0, -signal.SIGKILL)  # 0: reaped by `end`, Popen cannot know


def test_a_daemon_has_its_own_session_and_log(tmp_path: Path) -> None:
    log = tmp_path / "daemon.log"
    daemon = spawn(["sh", "-c", 'echo "$WORD"; exec sleep 60'], log=log, environment={"WORD": "hello"})
    session = Path(f"/proc/{daemon.pid}/stat").read_text().rpartition(")")[2].split()[3]
    daemon.end()
    assert int(session) == daemon.pid
    assert log.exists()


def test_a_process_that_has_ended_cannot_be_identified() -> None:
    with subprocess.Popen(["true"]) as gone:
        gone.wait()
    with pytest.raises(ProcessLookupError):
        ProcessId.of(gone.pid)
