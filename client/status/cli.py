"""`cluster0 status`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from cli.options import Output, directory_option, login_options, output_option

if TYPE_CHECKING:
    from client.status.report import KubernetesReport, Report

_INDENT = "    "


@click.command(epilog="Exit code 4 when neither node0's service nor the Kubernetes API answers.")
@directory_option
@login_options
@output_option
@click.pass_context
def status(context: click.Context, directory: Path, user: str, key: Path | None, output: Output) -> None:
    """Show the state of the install now: node0, the Kubernetes API, every host.

    When node0 is up and its service does not answer, the command logs in to node0 by SSH, and shows what keeps the
    service from running. Without a login it leaves this out.

    \b
    Examples:
      cluster0 status --dir site
      cluster0 status --dir site -o json | jq -r .situation
    """
    import asyncio

    from cli.exit_codes import ExitCode
    from cli.json_output import echo_json
    from client.remote.ssh import Login
    from client.remote.target import read_target
    from client.status.report import read_report

    report = asyncio.run(read_report(read_target(directory), Login(user=user, key=key)))
    if output is Output.JSON:
        echo_json(report)
    else:
        _print(report)
    if not report.is_any_reachable:
        context.exit(ExitCode.INFRASTRUCTURE)


def _print(report: Report) -> None:
    from agent.model.printable import printable, printable_lines
    from cli.table import print_table
    from client.hosts.rows import HEADER, cells

    click.echo(f"{click.style(printable(report.cluster), bold=True)}: {report.phase}, {report.percent}%")
    click.echo(f"  {printable_lines(report.message, _INDENT)}")
    if report.remedy:
        click.echo(f"  → {printable(report.remedy)}")
    click.echo(f"node0: {report.service}")
    for problem in report.problems:
        words = " ".join(filter(None, (problem.title, problem.detail)))
        click.echo(f"  {printable(problem.code)}: {printable_lines(words, _INDENT)}")
        click.echo(f"  → {printable_lines(problem.remedy, _INDENT)}")
    click.echo(f"Kubernetes API: {printable_lines(_kubernetes(report.kubernetes), _INDENT)}")
    if report.hosts:
        click.echo()
        print_table(HEADER, cells(report.hosts))


def _kubernetes(api: KubernetesReport) -> str:
    if not api.answers:
        return f"does not answer. {api.why}"
    nodes = ", ".join(f"{node.name} {'Ready' if node.ready else 'not Ready'}" for node in api.nodes)
    by_name = f"; not by its name: {api.why_not_by_name}" if api.why_not_by_name else ""
    return f"answers{by_name}. Nodes: {nodes or 'none'}"
