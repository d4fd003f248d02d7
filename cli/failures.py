"""Turns every failure into an error message and an exit code: expected, interrupted, or a bug of ours."""

from __future__ import annotations

import os
import sys
import tempfile
import traceback
from collections.abc import Iterator
from contextlib import contextmanager

import click
import msgspec

from agent.model.printable import printable, printable_lines
from agent.model.problems import Problem, ProblemReport
from cli.exit_codes import ExitCode, exit_code
from cli.findings_text import text
from cli.json_output import echo_json
from cli.options import Output, chosen_output
from inputs.document.findings import ConfigurationError, Finding

_INDENT = "  "


class Failure(msgspec.Struct, frozen=True, kw_only=True):
    """A failure on standard output, for `-o json`."""

    schema: int = 1
    error: ProblemReport
    findings: tuple[Finding, ...] = ()


@contextmanager
def explained(context: click.Context) -> Iterator[None]:
    """Whatever the body raises ends the program with its exit code, after a message."""
    try:
        yield
    except (click.exceptions.Exit, click.ClickException):
        raise
    except Problem as problem:
        _print(problem, chosen_output(context))
        context.exit(exit_code(problem))
    except (KeyboardInterrupt, click.Abort):
        click.echo("\nInterrupted.", err=True)
        context.exit(ExitCode.INTERRUPTED)
    except BrokenPipeError:
        _stop_writing()
        context.exit(ExitCode.READER_GONE)
    except Exception:  # noqa: BLE001 - a bug ends here, with a report instead of a screen full of frames
        click.echo(_bug(), err=True)
        context.exit(ExitCode.BUG)


def _stop_writing() -> None:
    """`cluster0 events | head`: the reader has closed the pipe; the interpreter would fail again when it flushes."""
    null = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        os.dup2(null, stream.fileno())


def _print(problem: Problem, output: Output) -> None:
    findings = problem.findings if isinstance(problem, ConfigurationError) else ()
    if output is Output.JSON:
        echo_json(Failure(error=problem.report(), findings=findings))
        return
    if findings:
        click.echo(f"{text(findings)}\n", err=True)
    title = printable_lines(problem.title, _INDENT)
    click.echo(f"{click.style('error:', fg='red', bold=True)} {title} {_code(problem)}", err=True)
    for line in () if findings else problem.detail.splitlines():
        click.echo(f"  {printable_lines(line)}", err=True)
    if problem.remedy:
        click.echo(f"→ {printable_lines(problem.remedy, _INDENT)}", err=True)


def _code(problem: Problem) -> str:
    return click.style(f"[{printable(problem.code)}]", dim=True)


def _bug() -> str:
    """Writes the traceback to a file of mode 0600, because an error text may contain secrets."""
    with tempfile.NamedTemporaryFile("w", prefix="cluster0-bug-", suffix=".txt", delete=False) as report:
        traceback.print_exc(file=report)
    last = traceback.format_exc().strip().splitlines()[-1].split(":")[0]
    return f"This is a bug in cluster0 ({last}).\n→ Please report it with {report.name}"
