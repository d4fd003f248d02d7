"""`wait-for` on a real terminal: bars while it waits, and a terminal as it was when it ends."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import signal
import struct
import subprocess
import sys
import termios
from collections.abc import Iterator
from pathlib import Path

import pytest

from cli.exit_codes import ExitCode
from replay.site import make_site
from tests.fakes.client.auth_directory import write_directory
from tests.paths import REPOSITORY

pytestmark = pytest.mark.integration

SHOW_CURSOR = "\x1b[?25h"


@contextlib.contextmanager
def terminal(columns: int) -> Iterator[tuple[int, int]]:
    """The two ends of one: ours, and the command's."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    try:
        yield ours, theirs
    finally:
        os.close(ours)


def read_until(ours: int, words: str) -> str:
    """What the command has written, up to `words`, or all when it ends."""
    text = ""
    while words not in text:
        try:
            text += os.read(ours, 65536).decode(errors="replace")
        except OSError:  # the other end is closed
            break
    return text


@pytest.mark.parametrize(("columns", "no_color"), [(100, False), (40, True)])
def test_wait_for_restores_the_terminal_when_it_ends(tmp_path: Path, columns: int, no_color: bool) -> None:
    directory = write_directory(make_site(tmp_path / "root"), tmp_path / "dir")
    environment = {**os.environ, "TERM": "xterm-256color", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    environment |= {"NO_COLOR": "1"} if no_color else {}
    argv = [sys.executable, "-m", "cli", "wait-for", "install-complete", "--dir", str(directory)]
    with terminal(columns) as (ours, theirs):
        command = subprocess.Popen(argv, cwd=REPOSITORY, env=environment, stdin=theirs, stdout=theirs, stderr=theirs)
        os.close(theirs)
        begin = read_until(ours, "node0 (127.0.0.1) is up, but its service does not answer.")
        command.send_signal(signal.SIGTERM)
        end = read_until(ours, "Interrupted.")
        end += read_until(ours, "no more of it")
        assert command.wait(timeout=30) == ExitCode.INTERRUPTED
    assert "Waiting for install-complete of demo.example.test until" in begin
    assert SHOW_CURSOR in begin + end
    assert ("\x1b[33m" in begin) is not no_color
