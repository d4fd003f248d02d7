"""Copies the base ISO in a thread while the content of the cluster's ISO is prepared: both take about as long."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Event

from agent.model.problems import Problem
from agent.model.write_errors import report_write_errors
from image_build.cluster_iso.file_copy import copy_whole
from image_build.cluster_iso.whole_file import Unfinished, unfinished

Change = tuple[int, bytes]
"""An offset in the file, and the bytes to write there."""


class CopyAhead:
    """A file that is being copied. Without `finish` nothing remains of it."""

    def __init__(self, output: Path, copied: Future[Unfinished]) -> None:
        self._output = output
        self._copied = copied

    def finish(self, changes: Iterable[Change]) -> None:
        """Waits for the copy, applies the changes, moves it into place.

        Problem: `no-space`, `output-not-writable`.
        """
        with report_write_errors(self._output):
            file = self._copied.result()
            for offset, content in changes:
                file.target.seek(offset)
                file.target.write(content)
            file.finish()


@contextmanager
def copying_ahead(base: Path | None, output: Path) -> Iterator[CopyAhead]:
    """Copies `base` for the length of the body; `finish` makes the copy `output`. None: no copy.

    Does not raise: `finish` raises what prevents the copy. Problems of the inputs are reported first.
    """
    with ExitStack() as stack:
        try:
            copied = _begun(base, output, stack)
        except (OSError, Problem) as error:
            copied = Future()
            copied.set_exception(error)
        yield CopyAhead(output, copied)


def _begun(base: Path | None, output: Path, stack: ExitStack) -> Future[Unfinished]:
    """In a thread, which `stack` stops at its end."""
    if base is None:
        raise FileNotFoundError
    source = stack.enter_context(base.open("rb"))
    file = stack.enter_context(unfinished(output, base.stat().st_size))
    thread = stack.enter_context(ThreadPoolExecutor(max_workers=1, thread_name_prefix="copy"))
    stop = Event()
    stack.callback(stop.set)

    def copy() -> Unfinished:
        copy_whole(source, file.target, stop)
        return file

    return thread.submit(copy)
