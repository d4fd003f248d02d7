"""Running a program to its end: argv lists, a fixed locale, a deadline, a failure that explains itself."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from agent.api.problems import Problem

LAST_LINES = 20


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


def run(argv: Sequence[str | Path], *, timeout: float, check: bool = True, stdout: IO[bytes] | None = None) -> Finished:
    """Run `argv` within `timeout` seconds, its standard output captured or, with `stdout`, written there.

    Raises `Problem` (`command-failed`, `command-timeout`); `check=False` accepts any exit code. At the deadline the
    child is killed.
    """
    words = tuple(os.fspath(word) for word in argv)
    try:
        ended = subprocess.run(
            words, stdin=subprocess.DEVNULL, stdout=stdout or subprocess.PIPE, stderr=subprocess.PIPE, timeout=timeout,
            check=False, env={**os.environ, "LC_ALL": "C.UTF-8"},
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        title = f"{words[0]} did not end within {timeout:g} s"
        raise Problem(code="command-timeout", title=title, detail=f"$ {shlex.join(words)}") from None
    except OSError as error:
        raise Problem(code="command-failed", title=f"{words[0]}: {error.strerror}") from error
    finished = Finished(words, ended.returncode, _text(ended.stdout), _text(ended.stderr))
    if check and finished.exit_code != 0:
        raise finished.failure()
    return finished


def _text(output: bytes | None) -> str:
    return (output or b"").decode(errors="replace")
