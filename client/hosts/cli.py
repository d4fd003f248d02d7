"""`cluster0 hosts`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from cli.options import Output, directory_option, login_options, named, output_option

if TYPE_CHECKING:
    from agent.api.hosts import Host


@click.group()
def hosts() -> None:
    """List, approve and retry the hosts that have registered with node0.

    HOST is a name, a MAC address, an id, or the beginning of an id.
    """


@hosts.command("list", epilog="Exit code 4 when node0's service does not answer.")
@directory_option
@output_option
def list_hosts(directory: Path, output: Output) -> None:
    """List hosts. Those of the inputs that have not registered have an empty id.

    \b
    Examples:
      cluster0 hosts list --dir site
      cluster0 hosts list --dir site -o json | jq -r '.hosts[] | select(.id == "").name'
    """
    import asyncio

    from cli.json_output import echo_json
    from cli.table import print_table
    from client.hosts.rows import HEADER, HostList, cells, rows
    from client.remote.service import read_cluster
    from client.remote.target import read_target

    target = read_target(directory)
    found = rows(asyncio.run(read_cluster(target)), target)
    if output is Output.JSON:
        echo_json(HostList(hosts=found))
    else:
        print_table(HEADER, cells(found))


@hosts.command(epilog="node0 itself approves the hosts that the inputs list.")
@click.argument("host")
@directory_option
@output_option
def approve(host: str, directory: Path, output: Output) -> None:
    """Approve a host that node0 did not approve by itself.

    \b
    Examples:
      cluster0 hosts approve 52:54:00:00:00:07 --dir site
    """
    import asyncio

    from client.hosts import calls
    from client.remote.target import read_target

    approved = asyncio.run(calls.approve(read_target(directory), host))
    _print(approved, "is approved.", output)


@hosts.command(epilog="Needs SSH to the host. Booting the host from the ISO again does the same.")
@click.argument("host")
@directory_option
@login_options
@output_option
def retry(host: str, directory: Path, user: str, key: Path | None, output: Output) -> None:
    """Start the install of one failed host over.

    The install of the other hosts continues. The host recognises the disk that it has partly written, and overwrites
    it. If the host has already rebooted into the installed system, boot it from the ISO instead, and choose
    "Install again" in the boot menu. In a boot over the network, a line of the iPXE script does the same.

    \b
    Examples:
      cluster0 hosts retry beta --dir site
      cluster0 hosts retry beta --dir site --ssh-key ~/.ssh/site
    """
    import asyncio

    from client.hosts import calls
    from client.remote.ssh import Login
    from client.remote.target import read_target

    retried = asyncio.run(calls.retry(read_target(directory), host, Login(user=user, key=key)))
    _print(retried, f"starts over. Next: cluster0 wait-for install-complete --dir {named(directory)}", output)


def _print(host: Host, words: str, output: Output) -> None:
    from agent.model.printable import printable
    from cli.json_output import echo_json
    from client.hosts.rows import HostList, row
    from client.remote.hosts import host_name

    if output is Output.JSON:
        echo_json(HostList(hosts=(row(host),)))
    else:
        click.echo(f"{printable(host_name(host))} {words}", err=True)
