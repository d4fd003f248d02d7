"""`cluster0 replay`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from cli.options import Output, output_option

if TYPE_CHECKING:
    from replay.judge.basis import Basis

ROLES = ("master", "worker")


@click.command(
    epilog="Exit code 0 if nothing that the record shows keeps the machine from being installed, else 4; "
    "3 if DIR's inputs have errors."
)
@click.argument("machine", metavar="MACHINE.json", type=click.Path(path_type=Path))
@click.option(
    "--dir",
    "directory",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Judge it by the inputs in this directory, as the host that its MACs make it.",
)
@click.option(
    "--host", default="", metavar="NAME", help="With --dir: as this host of the inputs, whatever its MACs are."
)
@click.option("--role", type=click.Choice(ROLES), help="Without --dir: as a host with this role.  [default: master]")
@output_option
@click.pass_context
def replay(
    context: click.Context, machine: Path, directory: Path | None, host: str, role: str | None, output: Output
) -> None:
    """Show what node0 would say of a recorded machine, before or without an install.

    MACHINE.json is what `cluster0-agent --record` prints on a host that has booted the ISO. With --mask it has no
    serial numbers, secrets and whole MACs, and can be shared; name its host with --host then. The replay runs node0's
    own matching, choice of the disk, and validations in this process, and changes nothing.

    \b
    It shows
      the hardware, the NICs with their addresses, and the default routes;
      each disk, what it holds, and whether it would be installed to, or why not;
      with --dir, which host of the inputs the machine is, and by which MACs;
      each validation: it holds, it warns, or it blocks the install;
      what would keep the machine from being installed, and what to do about it.

    A record is one machine at one moment. Whether names are unique, and whether others reach this machine, only an
    install shows. Records of earlier releases have no network state and no content of the disks.

    \b
    Examples:
      ssh core@192.0.2.10 sudo cluster0-agent --record > machine.json
      cluster0 replay machine.json
      cluster0 replay machine.json --role worker
      cluster0 replay machine.json --dir site
      cluster0 replay masked.json --dir site --host alpha
      cluster0 replay machine.json -o json | jq -r '.obstacles[].title'
    """
    from agent.record.load import load
    from cli.exit_codes import ExitCode
    from cli.json_output import echo_json
    from replay.judge.judge import judge
    from replay.judge.text import show

    basis = _basis(directory, host, role)
    judgement = judge(load(machine), basis)
    if output is Output.JSON:
        echo_json(judgement)
    else:
        show(machine.stem, judgement)
    if judgement.obstacles:
        context.exit(ExitCode.INFRASTRUCTURE)


def _basis(directory: Path | None, host: str, role: str | None) -> Basis:
    from agent.model.intent import Role
    from replay.judge.basis import by_inputs, by_role

    if directory is None:
        if host:
            raise click.UsageError("--host needs --dir: it names a host of the inputs.")
        return by_role(Role(role or Role.MASTER))
    if role:
        raise click.UsageError("--role is for a machine without inputs; with --dir the inputs give the role.")
    return by_inputs(directory, host)
