"""`cluster0 create image`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from image_build.terminal.options import Output, directory_option, output_option

if TYPE_CHECKING:
    from image_build.customise.create_image import Created


@click.command("image", epilog="Needs no root and no network. The inputs are only read.")
@directory_option
@click.option(
    "--base-iso",
    type=click.Path(dir_okay=False, path_type=Path),
    envvar="CLUSTER0_BASE_ISO",
    show_envvar=True,
    help="The base live ISO.  [default: the newest in the cache]",
)
@click.option("--base-iso-sha256", metavar="HEX", help="Refuse a base ISO with another checksum.")
@click.option("--force", is_flag=True, help="Make new credentials, replacing those in DIR/auth.")
@output_option
def create_image(
    directory: Path, base_iso: Path | None, base_iso_sha256: str | None, force: bool, output: Output
) -> None:
    """Make DIR/agent.x86_64.iso from install-config.yaml and agent-config.yaml.

    Besides, DIR/auth gets the cluster's kubeconfig, usable the moment the API answers, and tokens for node0's API.
    Run again with the same inputs and DIR/auth, the same bytes come out.

    \b
    Examples:
      cluster0 create image --dir site
      cluster0 create image --dir site --base-iso base.iso
    """
    import msgspec

    from image_build.customise.create_image import Request
    from image_build.customise.create_image import create_image as make

    created = make(Request(directory=directory, base_iso=base_iso, base_iso_sha256=base_iso_sha256, force=force))
    if output is Output.JSON:
        click.echo(msgspec.json.encode(created))
    else:
        _say(created, directory)


def _say(created: Created, directory: Path) -> None:
    from image_build.terminal.findings_text import text

    if created.warnings:
        click.echo(f"{text(created.warnings)}\n", err=True)
    click.echo(created.iso)
    click.echo(
        f"""
{created.iso} installs {created.cluster}: {", ".join(created.hosts)}
  size          {created.iso_size / 1e6:.0f} MB, holds the cluster's keys: keep it to yourself
  kubeconfig    {created.kubeconfig}  ({created.api_url})
  node0         {created.rendezvous_ip}
  boot before   {created.credentials_expire[:16].replace("T", " ")} UTC, when its tokens expire

Next:
  1. Attach the ISO to every host as virtual media, or write it to a stick:
       dd if={created.iso} of=/dev/STICK bs=4M conv=fsync status=progress
  2. Start the hosts from it.
  3. cluster0 wait-for install-complete --dir {directory}""",
        err=True,
    )
