"""`cluster0 wait-for`."""

from __future__ import annotations

from pathlib import Path

import click

from image_build.terminal.options import Output, directory_option, output_option

DEFAULT_MINUTES = {"bootstrap-complete": 60.0, "install-complete": 150.0}


@click.command("wait-for", epilog="May be ended with Ctrl-C and run again at any time: it only watches.")
@click.argument("goal", type=click.Choice(list(DEFAULT_MINUTES)))
@directory_option
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    metavar="MINUTES",
    help="Give up after so long.  [default: 60 for bootstrap-complete, 150 for install-complete]",
)
@output_option
def wait_for(goal: str, directory: Path, timeout: float | None, output: Output) -> None:
    """Follow the install until GOAL, telling what changes, and what is missing.

    \b
    bootstrap-complete  the Kubernetes API answers and the control plane is up
    install-complete    node0 says installed, and every host is a Ready node

    Ends early, with the reason, when the install has failed: exit code 5 before the control plane was up, 6 after.
    With -o json every line is an object: {"schema": 1, "time": ..., "kind": ..., "message": ..., ...}.
    """
    import asyncio
    from datetime import datetime, timedelta

    from agent.machine.clock import Clock
    from image_build.wait_for.follow import follow
    from image_build.wait_for.screen import screen_for
    from image_build.wait_for.success import success
    from image_build.wait_for.target import read_target
    from image_build.wait_for.verdict import Goal

    target = read_target(directory)
    minutes = timeout or DEFAULT_MINUTES[goal]
    end = datetime.now() + timedelta(minutes=minutes)
    click.echo(
        f"Waiting for {goal} of {target.intent.domain} until {end:%H:%M:%S}; node0 is {target.address}.", err=True
    )
    with screen_for(output) as screen:
        asyncio.run(follow(target, Goal(goal), screen, timeout=minutes * 60, clock=Clock()))
        screen.line(success(Goal(goal), target))
