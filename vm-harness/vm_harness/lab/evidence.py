"""What a failed test leaves for people: consoles, libvirt's logs, pictures, journals.

Collected while the lab is still up.
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
"""What to ask a guest that still answers, and where to put it."""
COMMAND_SECONDS = 90.0


def collect(directories: Directories, lab: Lab | None, into: Path) -> None:
    """Copy logs and, when the lab is up, ask the guests. What cannot be had is left out."""
    into.mkdir(parents=True, exist_ok=True)
    shutil.copytree(directories.logs, into, dirs_exist_ok=True)
    for node in lab.nodes if lab else ():
        with contextlib.suppress(Problem):
            node.screenshot(into / f"{node.name}-screen.png")
            (into / f"{node.name}-registers.log").write_text(node.registers())
        if node.address:
            _ask(node, into)


def show(into: Path) -> None:
    """Print the end of each text."""
    for path in sorted(file for file in into.rglob("*") if file.suffix in (".log", ".txt")):
        say(f"--- {path}")
        say("\n".join(path.read_text(errors="replace").splitlines()[-LAST_LINES:]))


def _ask(node: Node, into: Path) -> None:
    for name, command in GUEST_COMMANDS.items():
        try:
            # Not by `node.execute`: that another machine has failed must not keep this one's journal from us.
            answer = node.ssh.run(command, timeout=COMMAND_SECONDS)
        except Problem as problem:
            say(f"no {name} of {node.name}: {problem.title}")
            return
        if answer.exit_code == NO_CONNECTION:
            say(f"no {name} of {node.name}: {answer.stderr.strip()}")
            return
        (into / f"{node.name}-{name}").write_text(answer.stdout)
