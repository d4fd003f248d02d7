"""`cluster0 events`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from cli.options import Output, directory_option, output_option

if TYPE_CHECKING:
    from agent.api.events import Event
    from client.remote.target import Target

SEVERITIES = ("info", "warning", "error", "critical")


@click.command(epilog="With -o json every line is an event of node0's REST API.")
@directory_option
@click.option("--host", default="", help="Only events of this host: a name, a MAC address, or an id or its beginning.")
@click.option(
    "--severity", type=click.Choice(SEVERITIES), default="info", show_default=True, help="The lowest severity shown."
)
@click.option("-f", "--follow", is_flag=True, help="Wait for new events, until Ctrl-C.")
@output_option
def events(directory: Path, host: str, severity: str, follow: bool, output: Output) -> None:
    """Show what node0 has recorded: registrations, checks, states, stages, decisions.

    \b
    Examples:
      cluster0 events --dir site --severity warning
      cluster0 events --dir site --host alpha --follow
      cluster0 events --dir site -o json | jq -r .message
    """
    import asyncio

    from client.remote.target import read_target

    asyncio.run(_show(read_target(directory), host, severity, follow, output))


async def _show(target: Target, host: str, severity: str, follow: bool, output: Output) -> None:
    from agent.api import operations
    from agent.machine.clock import Clock
    from agent.model.states import EventSeverity
    from client.events.stream import EventFilter, follow_events
    from client.observe.service import ServiceWatcher
    from client.remote.hosts import find_host
    from client.remote.service import read_cluster, watcher_client

    host_id = find_host((await read_cluster(target)).hosts, host).id if host else ""
    chosen = EventFilter(host_id, EventSeverity(severity))
    async with watcher_client(target) as client:
        if not follow:
            for event in await client.call(operations.LIST_EVENTS):
                if chosen.matches(event):
                    _print(event, output)
            return
        async for event in follow_events(ServiceWatcher(client, target.intent.cluster_id), chosen, Clock()):
            _print(event, output)


def _print(event: Event, output: Output) -> None:
    from cli.json_output import echo_json

    if output is Output.JSON:
        echo_json(event)
        return
    from agent.model.printable import printable, printable_lines
    from cli.colours import SEVERITY_COLOURS

    message = printable_lines(event.message, indent="    ")
    click.echo(f"{printable(event.event_time)} {click.style(message, fg=SEVERITY_COLOURS.get(event.severity))}")
