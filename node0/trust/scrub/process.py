"""Archives are searched by a process of its own: some take minutes, and in a thread they would slow every request."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from agent.machine.process import Processes, ProcessFailed
from node0.trust.scrub.scrubber import Scrubber

# The largest archive of honest logs takes half a minute, hostile ones up to two seconds a MiB. Others wait meanwhile.
SECONDS = 180.0

NOT_AN_ARCHIVE = 3
NICENESS = 10


async def scrub_archive(scrubber: Scrubber, source: Path, target: Path, processes: Processes) -> None:
    """As `Scrubber.archive`. Raises ValueError, also when it takes longer than `SECONDS`; `ProcessFailed` for a bug."""
    try:
        finished = await processes.run(
            [sys.executable, "-P", "-m", "node0.trust.scrub", os.fspath(source), os.fspath(target)],
            stdin=b"\n".join(scrubber.known),
            timeout=SECONDS,
            check=False,
            environment={"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
    except ProcessFailed as failed:
        if failed.finished.exit_code != -signal.SIGKILL:
            raise
        raise ValueError(f"it cannot be searched for secrets within {SECONDS:g} s") from failed
    if finished.exit_code == NOT_AN_ARCHIVE:
        raise ValueError(finished.stderr.strip())
    if finished.exit_code:
        raise ProcessFailed(finished, f"exit code {finished.exit_code}")


def main(argv: list[str]) -> int:
    """`argv`: paths of the archive and of the result. Standard input: the known secrets, one a line."""
    os.nice(NICENESS)
    source, target = map(Path, argv)
    try:
        Scrubber(sys.stdin.buffer.read().splitlines()).archive(source, target)
    except ValueError as error:
        sys.stderr.write(f"{error}\n")
        return NOT_AN_ARCHIVE
    return 0
