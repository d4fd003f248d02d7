"""Running programs: argv lists, a fixed locale, a deadline, no process left behind, failures with their output.

asyncio is imported by the first program: those of ours that run none start in half the time without it.
"""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import subprocess
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agent.model.problems import Problem

if TYPE_CHECKING:
    import asyncio

log = logging.getLogger(__name__)

TAIL_LINES = 20


@dataclass(frozen=True)
class Finished:
    """How a program ended: `exit_code` is negative for a signal; output is decoded, bad bytes replaced."""

    argv: tuple[str, ...]
    exit_code: int
    stdout: str
    stderr: str


class ProcessFailed(Problem):
    """A program ended with another exit code than 0, was not there, or ran out of time."""

    def __init__(self, finished: Finished, why: str) -> None:
        output = (finished.stderr or finished.stdout).strip().splitlines()[-TAIL_LINES:]
        super().__init__(code="command-failed", title=f"{' '.join(finished.argv)}: {why}", detail="\n".join(output))
        self.finished = finished


class Processes:
    """Starts programs. `environment` is added to a minimal one (PATH, LC_ALL=C)."""

    def __init__(self, environment: Mapping[str, str] | None = None) -> None:
        self._environment = {
            "PATH": os.environ.get("PATH", "/usr/sbin:/usr/bin:/sbin:/bin"),
            "LC_ALL": "C",
            **(environment or {}),
        }

    async def run(
        self,
        argv: Sequence[str],
        *,
        stdin: bytes = b"",
        timeout: float = 60.0,
        check: bool = True,
        environment: Mapping[str, str] | None = None,
    ) -> Finished:
        """Run `argv` to its end within `timeout` s. Raises `ProcessFailed`; `check=False` accepts any exit code."""
        import asyncio

        log.debug("+ %s", " ".join(argv))
        process = await self._start(argv, environment, stderr=subprocess.PIPE)
        try:
            async with asyncio.timeout(timeout):
                out, err = await process.communicate(stdin)
        except TimeoutError:
            raise ProcessFailed(Finished(tuple(argv), -signal.SIGKILL, "", ""), f"no end after {timeout:g} s") from None
        finally:
            await _end(process)
        finished = Finished(
            tuple(argv), process.returncode or 0, out.decode(errors="replace"), err.decode(errors="replace")
        )
        if check and finished.exit_code != 0:
            raise ProcessFailed(finished, _why(finished.exit_code))
        return finished

    async def lines(self, argv: Sequence[str], *, environment: Mapping[str, str] | None = None) -> AsyncIterator[str]:
        """The program's output (both streams) line by line, as it comes. Raises `ProcessFailed` at a bad end."""
        process = await self._start(argv, environment, stderr=subprocess.STDOUT)
        seen: list[str] = []
        try:
            assert process.stdout is not None
            async for raw in process.stdout:
                line = raw.decode(errors="replace").rstrip("\n")
                seen = [*seen[-TAIL_LINES:], line]
                yield line
            code = await process.wait()
        finally:
            await _end(process)
        if code != 0:
            raise ProcessFailed(Finished(tuple(argv), code, "\n".join(seen), ""), _why(code))

    async def _start(
        self, argv: Sequence[str], environment: Mapping[str, str] | None, *, stderr: int
    ) -> asyncio.subprocess.Process:
        import asyncio

        try:
            return await asyncio.create_subprocess_exec(
                *argv,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stderr,
                env={**self._environment, **(environment or {})},
                start_new_session=True,
            )
        except OSError as error:
            raise ProcessFailed(Finished(tuple(argv), 127, "", ""), str(error)) from error


async def _end(process: asyncio.subprocess.Process) -> None:
    """Kill what is left of the process group and reap it: nothing of ours outlives the caller."""
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()


def _why(code: int) -> str:
    return f"ended by {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
