"""The one way image_build runs external programs.

Every run has a deadline and a log. The child leads a process group of its own, so that Ctrl-C in the terminal reaches
only us, and we end the whole group (mmdebstrap's and go's children too) before going on. Nothing is retried here.
"""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from agent.model.problems import Problem

Argument = str | Path

LAST_LINES = 15
GRACE_SECONDS = 10.0
"""How long a program may clean up after SIGTERM before it is killed."""


def own_mounts() -> Sequence[Argument]:
    """A `wrapper` for programs that mount, as mmdebstrap does with /proc and /dev when it runs as root: in a view of
    their own the mounts end with them, so nothing that cleans up after a kill reaches the host's devices through them.
    """
    return ("unshare", "--mount") if os.geteuid() == 0 else ()


def require_programs(packages: Mapping[str, str]) -> None:
    """Fail with all missing programs at once. `packages` maps a program's name to the Debian package that has it."""
    missing = sorted(program for program in packages if shutil.which(program) is None)
    if missing:
        raise Problem(
            code="program-missing",
            title=f"not installed: {', '.join(missing)}",
            remedy=f"apt-get install {' '.join(sorted({packages[program] for program in missing}))}",
        )


@dataclass(frozen=True)
class Commands:
    """Runs programs for one build; what they say goes to the file `log`, appended.

    `environment` is added to ours. The locale is always C.UTF-8, because some output is parsed.
    `wrapper` is a program that starts the command inside something, for example `unshare --mount`.
    """

    log: Path
    environment: Mapping[str, str] = field(default_factory=dict)
    wrapper: Sequence[Argument] = ()

    def run(self, argv: Sequence[Argument], *, timeout: float, cwd: Path | None = None, stdin: str = "") -> None:
        """Run to a good end within `timeout` seconds, or raise `Problem` (`command-failed`, `command-timeout`)."""
        with self._log_of(argv) as log:
            # Asked before it starts: the child shares our place in the file.
            said_from = log.tell()
            self._finish(argv, self._start(argv, log, log, cwd), said_from, stdin, timeout)

    def output(self, argv: Sequence[Argument], *, timeout: float, cwd: Path | None = None, stdin: str = "") -> str:
        """Like `run`, and return standard output (which then is not in the log)."""
        with self._log_of(argv) as log:
            said_from = log.tell()
            return self._finish(argv, self._start(argv, subprocess.PIPE, log, cwd), said_from, stdin, timeout)

    @contextmanager
    def _log_of(self, argv: Sequence[Argument]) -> Iterator[IO[bytes]]:
        with self.log.open("ab", buffering=0) as log:
            log.write(f"\n$ {_words(argv)}\n".encode())
            yield log

    def _start(
        self, argv: Sequence[Argument], stdout: IO[bytes] | int, log: IO[bytes], cwd: Path | None
    ) -> subprocess.Popen[bytes]:
        environment = {**os.environ, "LC_ALL": "C.UTF-8", **self.environment}
        # An interrupt between the child's start and `_finish` would leave it behind. It inherits the mask, which does
        # not matter: in its own session no terminal interrupts it, and we end it by other signals.
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            return subprocess.Popen(
                [os.fspath(argument) for argument in (*self.wrapper, *argv)],
                stdin=subprocess.PIPE, stdout=stdout, stderr=log, cwd=cwd, env=environment, start_new_session=True,
            )  # fmt: skip
        except FileNotFoundError as error:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
            raise Problem(code="program-missing", title=f"{error.filename} does not exist") from None

    def _finish(
        self, argv: Sequence[Argument], process: subprocess.Popen[bytes], said_from: int, stdin: str, timeout: float
    ) -> str:
        with process:
            try:
                signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
                captured, _ = process.communicate(stdin.encode(), timeout=timeout)
            except subprocess.TimeoutExpired:
                _end_group(process)
                raise self._failure("command-timeout", argv, f"took longer than {timeout:.0f} s", said_from) from None
            except BaseException:
                _end_group(process)
                raise
        if process.returncode != 0:
            raise self._failure("command-failed", argv, f"failed with exit status {process.returncode}", said_from)
        return (captured or b"").decode(errors="replace")

    def _failure(self, code: str, argv: Sequence[Argument], how: str, said_from: int) -> Problem:
        """With the command and the last lines it said."""
        with self.log.open("rb") as log:
            log.seek(said_from)
            lines = log.read().decode(errors="replace").splitlines()[-LAST_LINES:]
        detail = "\n".join([f"$ {_words(argv)}", *lines])
        return Problem(code=code, title=f"{argv[0]} {how}", detail=detail, remedy=f"The whole output is in {self.log}.")


def _words(argv: Sequence[Argument]) -> str:
    return shlex.join(os.fspath(argument) for argument in argv)


def _end_group(process: subprocess.Popen[bytes]) -> None:
    """End the child and everything it started that stayed in its group."""
    for ending in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, ending)
            process.wait(GRACE_SECONDS)
        except ProcessLookupError:
            return
        except subprocess.TimeoutExpired:
            continue
