"""Runs external programs for all our tools: one after the other, each with a timeout.

Every program leads its own process group. Ctrl-C in the terminal therefore reaches only us, and we end the whole group,
with the children of programs such as mmdebstrap, before we raise the exception. Nothing is retried here. Programs that
run at the same time start elsewhere, by asyncio: `agent/machine/process.py` and `client/remote/ssh.py`.
"""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from agent.model.problems import Problem

Argument = str | Path
Stream = IO[bytes] | int | None
"""A stream as `subprocess.Popen` takes it; None: the program writes to ours."""

TAIL_LINES = 20
TAIL_BYTES = 1 << 14
"""An error shows this much of the end of the output."""
GRACE_SECONDS = 10.0
"""How long a program may clean up after SIGTERM before it is killed."""
WAITING_SECONDS = 1.0
"""The time between two calls of `while_waiting`."""


def own_mounts() -> Sequence[Argument]:
    """A `wrapper` for programs that mount, as mmdebstrap does with /proc and /dev when it runs as root.

    Their mounts are in a separate namespace and end with the program. So a cleanup after a kill cannot delete the
    host's device files through a mount that was left.
    """
    return ("unshare", "--mount") if os.geteuid() == 0 else ()


def require_programs(packages: Mapping[str, str]) -> None:
    """Raise Problem `program-missing` with all missing programs. `packages`: program → Debian package that has it."""
    missing = sorted(program for program in packages if shutil.which(program) is None)
    if missing:
        raise Problem(
            code="program-missing",
            title=f"not installed: {', '.join(missing)}",
            remedy=f"apt-get install {' '.join(sorted({packages[program] for program in missing}))}",
        )


@dataclass(frozen=True)
class Finished:
    """How a program ended. `exit_code`: negative for a signal. Bytes of the output that are not UTF-8 are replaced."""

    argv: tuple[str, ...]
    exit_code: int
    stdout: str
    stderr: str


@dataclass(frozen=True)
class Commands:
    """Runs programs with common settings.

    log: commands and their output are appended to this file; None: the output is captured.
    environment: variables added to ours. The locale is always C.UTF-8, because some output is parsed.
    wrapper: a command that starts each program, for example `unshare --mount`.
    """

    log: Path | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    wrapper: Sequence[Argument] = ()

    def run(
        self, argv: Sequence[Argument], *, timeout: float, check: bool = True, cwd: Path | None = None,
        stdin: str = "", stdout: Stream = None, while_waiting: Callable[[], None] = lambda: None,
    ) -> Finished:  # fmt: skip
        """Run `argv` to its end within `timeout` seconds. Standard output may go to `stdout` instead of the log.

        Problem: `command-failed` (unless `check` is False), `command-timeout`, `program-missing`. `while_waiting` is
        called every `WAITING_SECONDS`, and may raise. At any exception the program's process group is ended.
        """
        words = _words(argv)
        with self._open_log(words) as log:
            begin = log.tell() if log else 0  # Before the start: the child shares our place in the file.
            streams = (stdout or log or subprocess.PIPE, log or subprocess.PIPE)
            try:
                with self._started(words, streams, cwd, subprocess.PIPE if stdin else subprocess.DEVNULL) as process:
                    out, err = _communicate(process, stdin, timeout, while_waiting)
            except subprocess.TimeoutExpired as late:
                last = self._last_lines(begin, late.stderr or late.output)
                raise self._failure("command-timeout", words, f"did not end within {timeout:g} s", last) from None
        finished = Finished(words, process.returncode, _text(out), _text(err))
        if check and finished.exit_code != 0:
            last = self._last_lines(begin, err or out)
            raise self._failure("command-failed", words, f"failed with exit code {finished.exit_code}", last)
        return finished

    def output(self, argv: Sequence[Argument], *, timeout: float, cwd: Path | None = None, stdin: str = "") -> str:
        """Like `run`, but returns standard output, which is not written to the log."""
        return self.run(argv, timeout=timeout, cwd=cwd, stdin=stdin, stdout=subprocess.PIPE).stdout

    def run_shown(self, argv: Sequence[Argument], *, timeout: float) -> int:
        """Run `argv` with our own standard output and error; returns its exit code.

        Problem: `command-timeout`, `program-missing`, or `command-failed` if it does not start.
        """
        words = _words(argv)
        with self._started(words, (None, None), None, subprocess.DEVNULL) as process:
            try:
                return process.wait(timeout)
            except subprocess.TimeoutExpired:
                raise self._failure("command-timeout", words, f"did not end within {timeout:g} s", []) from None

    @contextmanager
    def _open_log(self, words: Sequence[str]) -> Iterator[IO[bytes] | None]:
        if self.log is None:
            yield None
            return
        with self.log.open("ab", buffering=0) as log:
            log.write(f"\n$ {shlex.join(words)}\n".encode())
            yield log

    @contextmanager
    def _started(
        self, words: Sequence[str], streams: tuple[Stream, Stream], cwd: Path | None, stdin: int
    ) -> Iterator[subprocess.Popen[bytes]]:
        # An interrupt between the child's start and our `try` would leave the child behind. It inherits the mask, which
        # does not matter: in its own session no terminal interrupts it, and we end it by other signals.
        kept = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            with self._start(words, streams, cwd, stdin) as process:
                try:
                    signal.pthread_sigmask(signal.SIG_SETMASK, kept)
                    yield process
                except BaseException:
                    _end_group(process)
                    raise
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, kept)

    def _start(
        self, words: Sequence[str], streams: tuple[Stream, Stream], cwd: Path | None, stdin: int
    ) -> subprocess.Popen[bytes]:
        try:
            return subprocess.Popen(
                [*_words(self.wrapper), *words], stdin=stdin, stdout=streams[0], stderr=streams[1], cwd=cwd,
                env={**os.environ, "LC_ALL": "C.UTF-8", **self.environment}, start_new_session=True,
            )  # fmt: skip
        except FileNotFoundError as error:
            raise Problem(code="program-missing", title=f"{error.filename} does not exist") from None
        except OSError as error:
            raise Problem(code="command-failed", title=f"{words[0]} does not start: {error.strerror}") from error

    def _last_lines(self, begin: int, captured: bytes | None) -> list[str]:
        """The last lines of output. `begin`: the log's offset at the start."""
        output = captured or b""
        if self.log is not None:
            with self.log.open("rb") as log:
                log.seek(max(begin, log.seek(0, os.SEEK_END) - TAIL_BYTES))
                output = log.read()
        return output[-TAIL_BYTES:].decode(errors="replace").rstrip().splitlines()[-TAIL_LINES:]

    def _failure(self, code: str, words: Sequence[str], how: str, last_lines: Sequence[str]) -> Problem:
        detail = "\n".join([f"$ {shlex.join(words)}", *last_lines])
        remedy = f"The whole output is in {self.log}." if self.log else ""
        return Problem(code=code, title=f"{words[0]} {how}", detail=detail, remedy=remedy)


run = Commands().run
"""`Commands.run` without a log: the output is captured."""


def _communicate(
    process: subprocess.Popen[bytes], stdin: str, timeout: float, while_waiting: Callable[[], None]
) -> tuple[bytes | None, bytes | None]:
    """Standard output and error at the program's end. Raises `subprocess.TimeoutExpired` after `timeout` seconds."""
    deadline = time.monotonic() + timeout
    rest: bytes | None = stdin.encode() if stdin else None
    while True:
        left = deadline - time.monotonic()
        try:
            return process.communicate(rest, timeout=min(WAITING_SECONDS, left))
        except subprocess.TimeoutExpired:
            if left <= WAITING_SECONDS:
                raise
            rest = None  # `communicate` keeps what it has not written yet.
            while_waiting()


def _end_group(process: subprocess.Popen[bytes]) -> None:
    """End the child and its descendants that are still in its process group."""
    for ending in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, ending)
            process.wait(GRACE_SECONDS)
        except ProcessLookupError:
            return
        except subprocess.TimeoutExpired:
            continue


def _words(argv: Sequence[Argument]) -> tuple[str, ...]:
    return tuple(os.fspath(argument) for argument in argv)


def _text(output: bytes | None) -> str:
    return (output or b"").decode(errors="replace")
