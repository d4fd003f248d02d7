"""Running a program to its end: argv lists, a fixed locale, a deadline, a failure that explains itself."""

from __future__ import annotations

import os
import shlex
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from agent.model.problems import Problem

LAST_LINES = 20
WAITING_SECONDS = 1.0


@dataclass(frozen=True)
class Finished:
    """How a program ended. `exit_code` is negative for a signal; undecodable bytes of the output are replaced."""

    argv: tuple[str, ...]
    exit_code: int
    stdout: str
    stderr: str

    def failure(self, why: str = "") -> Problem:
        output = (self.stderr.strip() or self.stdout.strip()).splitlines()[-LAST_LINES:]
        return Problem(
            code="command-failed",
            title=f"{self.argv[0]}: {why or f'exit code {self.exit_code}'}",
            detail="\n".join([f"$ {shlex.join(self.argv)}", *output]),
        )


def run(
    argv: Sequence[str | Path], *, timeout: float, check: bool = True, stdout: IO[bytes] | None = None,
    while_waiting: Callable[[], None] = lambda: None,
) -> Finished:  # fmt: skip
    """Run `argv` within `timeout` seconds, its standard output captured or, with `stdout`, written there.

    Raises `Problem` (`command-failed`, `command-timeout`); `check=False` accepts any exit code. `while_waiting` is
    called every `WAITING_SECONDS`, and may raise. Then, and at the deadline, the child is killed.
    """
    words = tuple(os.fspath(word) for word in argv)
    try:
        child = subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stdout=stdout or subprocess.PIPE, stderr=subprocess.PIPE,
            env={**os.environ, "LC_ALL": "C.UTF-8"},
        )  # fmt: skip
    except OSError as error:
        raise Problem(code="command-failed", title=f"{words[0]}: {error.strerror}") from error
    with child:
        try:
            output, errors = _communicate(child, timeout, while_waiting)
        except subprocess.TimeoutExpired:
            title = f"{words[0]} did not end within {timeout:g} s"
            raise Problem(code="command-timeout", title=title, detail=f"$ {shlex.join(words)}") from None
        finally:
            child.kill()
    finished = Finished(words, child.returncode, _text(output), _text(errors))
    if check and finished.exit_code != 0:
        raise finished.failure()
    return finished


def _communicate(
    child: subprocess.Popen[bytes], timeout: float, while_waiting: Callable[[], None]
) -> tuple[bytes | None, bytes | None]:
    """Raises `subprocess.TimeoutExpired` after `timeout` seconds; output read by then is not lost between turns."""
    deadline = time.monotonic() + timeout
    while True:
        left = deadline - time.monotonic()
        try:
            return child.communicate(timeout=min(WAITING_SECONDS, left))
        except subprocess.TimeoutExpired:
            if left <= WAITING_SECONDS:
                raise
            while_waiting()


def _text(output: bytes | None) -> str:
    return (output or b"").decode(errors="replace")
