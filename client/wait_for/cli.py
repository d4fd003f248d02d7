"""`cluster0 wait-for`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from cli.options import Output, directory_option, output_option

if TYPE_CHECKING:
    from client.remote.target import Target
    from client.wait_for.goal import Goal
    from client.wait_for.lines import Line

DEFAULT_MINUTES = {"bootstrap-complete": 60.0, "install-complete": 150.0}

ARCHIVE_SECONDS = 120.0
"""For each host, when the wait itself collects."""


@click.command("wait-for", epilog="Only observes: end it with Ctrl-C and run it again at any time.")
@click.argument("goal", type=click.Choice(list(DEFAULT_MINUTES)))
@directory_option
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    metavar="MINUTES",
    help="Give up after this time.  [default: 60 for bootstrap-complete, 150 for install-complete]",
)
@click.option(
    "--nodes",
    type=click.Choice(["all", "control-plane"]),
    default="all",
    show_default=True,
    help="Which hosts of the inputs must be Ready nodes for install-complete.",
)
@click.option(
    "--gather/--no-gather",
    "with_archive",
    default=True,
    show_default=True,
    help="After a failure or the timeout, collect a support archive as `cluster0 gather` does.",
)
@output_option
def wait_for(goal: str, directory: Path, timeout: float | None, nodes: str, with_archive: bool, output: Output) -> None:
    """Follow the install to a goal. Report every change, and what is missing.

    \b
    bootstrap-complete  the Kubernetes API answers and the control plane is up
    install-complete    node0 reports installed, and every host is a Ready node

    Ends early, with the reason, when the install has failed (exit code 5 before the control plane was up, 6 after) or
    cannot continue by itself (4).

    With -o json every line is an object: {"schema": 1, "time": ..., "kind": ..., "message": ..., ...}. Fields may be
    added to schema 1, and values to `kind` and `situation`. None is renamed or removed.

    \b
    Examples:
      cluster0 wait-for install-complete --dir site
      cluster0 wait-for bootstrap-complete --dir site --timeout 30
      cluster0 wait-for install-complete --dir site -o json | jq -r 'select(.kind == "check").message'
    """
    import asyncio

    from agent.machine.clock import Clock
    from agent.model.problems import Problem
    from client.remote.target import read_target
    from client.wait_for.goal import Goal, Required
    from client.wait_for.run import success, wait_for_goal
    from client.wait_for.screen import screen_for

    target, chosen = read_target(directory), Goal(goal)
    minutes = timeout or DEFAULT_MINUTES[goal]
    clock = Clock()
    with screen_for(output, clock) as screen:
        screen.line(_started(chosen, target, minutes))
        waiting = wait_for_goal(target, chosen, screen, timeout=minutes * 60, clock=clock, required=Required(nodes))
        try:
            seen = asyncio.run(waiting)
        except Problem:
            if with_archive:
                screen.line(_archived(directory, target))
            raise
        screen.line(success(chosen, target, seen))


def _started(goal: Goal, target: Target, minutes: float) -> Line:
    """The first line: names the deadline in local time, with its date if that is not today."""
    from datetime import datetime, timedelta

    from agent.api.timestamps import rfc3339
    from client.wait_for.lines import Line, LineKind

    now = datetime.now().astimezone()
    end = now + timedelta(minutes=minutes)
    shown = f"{end:%H:%M:%S}" if end.date() == now.date() else f"{end:%Y-%m-%d %H:%M:%S}"
    message = f"Waiting for {goal} of {target.intent.domain} until {shown}; node0 is {target.address}."
    return Line(kind=LineKind.STARTED, message=message, deadline=rfc3339(end))


def _archived(directory: Path, target: Target) -> Line:
    """Collects from every source that answers; a failure to collect is only a warning."""
    import asyncio

    from agent.model.problems import Problem
    from agent.model.states import EventSeverity
    from client.gather.run import Request, gather
    from client.wait_for.lines import Line, LineKind

    try:
        gathered = asyncio.run(gather(Request(directory=directory, target=target, seconds=ARCHIVE_SECONDS)))
    except Problem as problem:
        message = f"No support archive: {problem.title}"
        return Line(kind=LineKind.ARCHIVE, severity=EventSeverity.WARNING, message=message)
    message = f"A support archive without secrets is in {gathered.archive}"
    return Line(kind=LineKind.ARCHIVE, message=message, archive=gathered.archive)
