"""Commands that become another program: console, ssh, kubectl, run. Its terminal and exit code are the user's."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NoReturn

import click

from cli.progress import say
from vm_harness.lab import kubectl
from vm_harness.lab.directories import Directories
from vm_harness.lab.lab import opened
from vm_harness.lab.options import directory_option

FORWARDED_ARGUMENTS = {"ignore_unknown_options": True, "allow_interspersed_args": False}
"""Settings of commands whose arguments are another program's."""


def become(argv: list[str]) -> NoReturn:
    """Replace this process by the program `argv[0]`."""
    os.execvp(argv[0], argv)


@click.command()
@directory_option
@click.argument("host", default="")
def console(directory: Path, host: str) -> None:
    """Open a host's serial console (leave with Ctrl-]).

    \b
    Examples:
      cluster0 lab console --dir demo
    """
    with opened(Directories.of(directory)) as found:
        argv = found.node(host).machine.interactive_console()
    become(argv)


@click.command(context_settings=FORWARDED_ARGUMENTS)
@directory_option
@click.option("--host", default="", help="Name of the host; default: the first.")
@click.argument("command", nargs=-1)
def ssh(directory: Path, host: str, command: tuple[str, ...]) -> None:
    """Log in as core, or run COMMAND there.

    \b
    Examples:
      cluster0 lab ssh --dir demo -- sudo journalctl --follow
    """
    with opened(Directories.of(directory)) as found:
        argv = found.node(host).ssh.argv(" ".join(command), terminal=os.isatty(0))
    become(argv)


@click.command("kubectl", context_settings=FORWARDED_ARGUMENTS)
@directory_option
@click.argument("arguments", nargs=-1)
def run_kubectl(directory: Path, arguments: tuple[str, ...]) -> None:
    """Run kubectl against the lab's cluster.

    The program is the one that $CLUSTER0_KUBECTL names, else the one on PATH, else a copy of a host's own.

    \b
    Examples:
      cluster0 lab kubectl --dir demo -- get pods -A
    """
    with opened(Directories.of(directory)) as found:
        chosen = kubectl.choose(found, arguments)
        argv = found.namespace.inside(chosen.argv)
    say(f"# {chosen.origin}")
    become(argv)


@click.command(context_settings=FORWARDED_ARGUMENTS)
@directory_option
@click.argument("command", nargs=-1, required=True)
def run(directory: Path, command: tuple[str, ...]) -> None:
    """Run COMMAND in the lab's network namespace.

    \b
    Examples:
      cluster0 lab run --dir demo -- cluster0 wait-for install-complete --dir demo
    """
    with opened(Directories.of(directory)) as found:
        argv = found.namespace.inside(command)
    become(argv)


COMMANDS: tuple[click.Command, ...] = (console, ssh, run_kubectl, run)
