"""`cluster0 validate` and `cluster0 create config`."""

from __future__ import annotations

from pathlib import Path

import click

from cli.options import Output, directory_option, output_option


@click.command(epilog="Exit code 3 if there is an error; with warnings only it is 0.")
@directory_option
@click.option(
    "--base-iso",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Also check them against the content of this base ISO: version, network plugin, images of manifests.",
)
@output_option
def validate(directory: Path, base_iso: Path | None, output: Output) -> None:
    """Check install-config.yaml, agent-config.yaml and the extra files next to them, and report all findings.

    DIR/cluster-manifests is checked as well, or instead if the two files are missing. Nothing is written.
    Each finding has the file, line, column and path of the value, the broken rule and a remedy.

    \b
    Examples:
      cluster0 validate --dir site
      cluster0 validate --dir site --base-iso base.iso
      cluster0 validate --dir site -o json | jq -r '.findings[].path'
    """
    from datetime import UTC, datetime

    from cli.cluster_directory import AUTH
    from cli.findings_text import text
    from cli.json_output import echo_json
    from image_build.credentials.token_expiry import token_expiry
    from inputs.load import load_inputs

    loaded = load_inputs(directory).with_findings(token_expiry(directory / AUTH, datetime.now(UTC)))
    if base_iso is not None:
        from image_build.iso_format.reader import read_base_iso

        loaded = loaded.checked_against(read_base_iso(base_iso).release.payload)
    loaded.valid_inputs()
    if output is Output.JSON:
        echo_json({"schema": 1, "findings": loaded.findings})
        return
    for part in (text(loaded.findings), "The inputs are valid."):
        if part:
            click.echo(part, err=True)


@click.command(
    "config", epilog="The samples are valid as they are; change the IP addresses, the MAC addresses and the disks."
)
@click.option(
    "--topology",
    type=click.Choice(["sno", "compact", "ha", "ha5"]),
    default="sno",
    show_default=True,
    help="sno: a single node. compact: three control planes that run pods. ha: three control planes and two workers. "
    "ha5: five control planes that run pods.",
)
@click.option("--dir", "directory", type=click.Path(file_okay=False, path_type=Path), default=".", show_default=True,
              help="Where to write them; created if missing.")  # fmt: skip
def create_config(topology: str, directory: Path) -> None:
    """Write commented samples of install-config.yaml and agent-config.yaml. Never overwrites a file.

    \b
    Examples:
      cluster0 create config --topology sno --dir site
    """
    from inputs.samples import write_samples

    for path in write_samples(topology, directory):
        click.echo(path)
