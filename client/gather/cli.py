"""`cluster0 gather`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from cli.options import Output, directory_option, login_options, output_option

if TYPE_CHECKING:
    from client.gather.archive import ArchivedSource, Manifest


@click.command(epilog="Exit code 4 when no source answered. manifest.json in the archive lists what was removed.")
@directory_option
@click.option("--host", "hosts", multiple=True, metavar="ADDRESS", help="Collect from this host, too; may be repeated.")
@login_options
@click.option(
    "--output-file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The archive.  [default: DIR/gather-NAME-TIME.tar.gz]",
)
@output_option
def gather(
    directory: Path, hosts: tuple[str, ...], user: str, key: Path | None, output_file: Path | None, output: Output
) -> None:
    """Collect one support archive from node0, the Kubernetes API and, by SSH, from every host.

    Works while node0 is down: the command names the sources that do not answer, and leaves them out. It removes private
    keys, tokens and passwords from every file before it writes the file.

    \b
    Examples:
      cluster0 gather --dir site
      cluster0 gather --dir site --ssh-key ~/.ssh/site --host 192.0.2.17
    """
    import asyncio

    from cli.json_output import echo_json
    from client.gather.run import Request
    from client.gather.run import gather as collect
    from client.remote.ssh import Login
    from client.remote.target import read_target

    request = Request(
        directory=directory, target=read_target(directory), login=Login(user=user, key=key), hosts=hosts,
        output=output_file, report=_report,
    )  # fmt: skip
    gathered = asyncio.run(collect(request))
    if output is Output.JSON:
        echo_json(gathered)
        return
    click.echo(gathered.archive)
    click.echo(_removed(gathered.manifest), err=True)


def _report(source: ArchivedSource) -> None:
    from agent.model.printable import printable

    name = printable(source.name)
    if source.why:
        click.echo(f"{name}: {click.style(printable(source.why.splitlines()[0]), fg='yellow')}", err=True)
    else:
        click.echo(f"{name}: {source.files} files", err=True)


def _removed(manifest: Manifest) -> str:
    count = sum(sum(kinds.values()) for kinds in manifest.removed.values())
    if not count:
        return "No secret was found in it."
    return f"{count} secrets were removed from {len(manifest.removed)} files; its manifest.json lists where."
