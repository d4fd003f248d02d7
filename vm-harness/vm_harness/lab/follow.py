"""Following an install: `cluster0 wait-for` shows it; libvirt and the consoles report machines that fail."""

from __future__ import annotations

import os
import subprocess
from contextlib import ExitStack

from cli.progress import say
from vm_harness.lab.cluster import image
from vm_harness.lab.lab import Lab
from vm_harness.machine.lifecycle import REQUESTED
from vm_harness.processes import ProcessId


def follow_install(lab: Lab, *options: str) -> int:
    """Run `cluster0 wait-for install-complete` with `options`, its progress shown; its exit code.

    Raises `MachineFailed` as soon as a machine stops by itself or its kernel panics: node0's service cannot report it.
    """
    argv = [image.cluster0(), "wait-for", "install-complete", "--dir", os.fspath(lab.directories.inputs), *options]
    reported: dict[str, str] = {}
    with subprocess.Popen(lab.namespace.inside(argv)) as waiting, ExitStack() as stack:
        stack.callback(waiting.terminate)
        try:
            ended = stack.enter_context(ProcessId.of(waiting.pid).handle())
        except ProcessLookupError:
            return waiting.wait()
        while waiting.poll() is None:
            lab.watch.check()
            _report_requests(lab, reported)
            lab.watch.wait(None, ended)
    return waiting.returncode


def _report_requests(lab: Lab, reported: dict[str, str]) -> None:
    """Print a line for each machine that has been paused or switched off on request."""
    for node in lab.nodes:
        state = node.machine.state()
        words = REQUESTED.get((state.state, state.reason), "")
        if words and words != reported.get(node.name):
            say(f"{node.name} {words.format(uri=lab.machines.uri, name=node.name)}")
        reported[node.name] = words
