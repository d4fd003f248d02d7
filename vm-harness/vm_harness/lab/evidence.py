"""Evidence of a failed test: consoles, libvirt's logs, screenshots, journals.

It is collected while the lab is still up.
"""

from __future__ import annotations

import contextlib
import shutil
from pathlib import Path

from agent.model.problems import Problem
from cli.progress import say
from vm_harness.guest.node import Node
from vm_harness.guest.ssh import NO_CONNECTION
from vm_harness.lab.directories import Directories
from vm_harness.lab.lab import Lab

LAST_LINES = 40
GUEST_COMMANDS = {
    "journal.txt": "sudo journalctl --boot --no-pager",
    "failed-units.txt": "systemctl list-units --failed --no-pager",
    "cluster0.txt": "sudo sh -c 'tail -n +1 /run/cluster0/*.json'",
}
"""Name of the file → the command whose output it gets, on a guest that still answers."""
COMMAND_SECONDS = 90.0


def collect(directories: Directories, lab: Lab | None, into: Path) -> None:
    """Copy logs and, when the lab is up, collect from the guests. A part that cannot be collected is left out."""
    into.mkdir(parents=True, exist_ok=True)
    shutil.copytree(directories.logs, into, dirs_exist_ok=True)
    for node in lab.nodes if lab else ():
        with contextlib.suppress(Problem):
            node.screenshot(into / f"{node.name}-screen.png")
            (into / f"{node.name}-registers.log").write_text(node.machine.registers())
        if node.address:
            _collect_from_guest(node, into)


def show(into: Path) -> None:
    """Print the end of each text file."""
    for path in sorted(file for file in into.rglob("*") if file.suffix in (".log", ".txt")):
        say(f"--- {path}")
        say("\n".join(path.read_text(errors="replace").splitlines()[-LAST_LINES:]))


def _collect_from_guest(node: Node, into: Path) -> None:
    for name, command in GUEST_COMMANDS.items():
        try:
            # Not by `node.execute`, which raises when another machine has failed.
            answer = node.ssh.run(command, timeout=COMMAND_SECONDS)
        except Problem as problem:
            say(f"no {name} of {node.name}: {problem.title}")
            return
        if answer.exit_code == NO_CONNECTION:
            say(f"no {name} of {node.name}: {answer.stderr.strip()}")
            return
        (into / f"{node.name}-{name}").write_text(answer.stdout)
