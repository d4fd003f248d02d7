"""Processes that are the first of their namespaces, as this machine sees them."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

_GRACE_SECONDS = 5.0


def in_network_of(pid: int, *argv: str) -> None:
    """With this machine's pids, which `ip` needs to find the other end's namespace."""
    subprocess.run(["nsenter", f"--target={pid}", "--net", "--", *argv], check=True)


@contextmanager
def first_process(argv: list[str], environment: dict[str, str]) -> Iterator[int]:
    """The pid of what `unshare` forked, once that has said a line. Its end is the end of everything in its namespaces;
    that of `unshare` is not, for dbus-daemon changes its user and so forgets its parent."""
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True, env=environment) as unshare:
        assert unshare.stdout is not None
        first_line = unshare.stdout.readline()
        assert first_line, "the namespaces' first process ended early"
        first = child_of(unshare)
        try:
            yield first
        finally:
            _end(first, unshare)


def _end(first: int, unshare: subprocess.Popen[str]) -> None:
    """SIGKILL at once would make `unshare` complain: it ends itself as its child has ended, and cannot prepare that."""
    os.kill(first, signal.SIGTERM)
    try:
        unshare.wait(_GRACE_SECONDS)
    except subprocess.TimeoutExpired:
        os.kill(first, signal.SIGKILL)


def child_of(process: subprocess.Popen[Any]) -> int:
    """`nsenter` and `unshare` fork once, and wait: that child is what we want to know about."""
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    while process.poll() is None:
        if pids := children.read_text().split():
            return int(pids[0])
    raise AssertionError(f"{process.args!r} ended with {process.returncode}")
