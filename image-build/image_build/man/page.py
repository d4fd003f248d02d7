"""One page: the command's help, in the usual sections of a manual page."""

from __future__ import annotations

from collections.abc import Iterator
from inspect import cleandoc
from itertools import pairwise

import click

from cli.exit_codes import ExitCode
from image_build.man import roff

_VERBATIM = "\b"
_EXAMPLES = "Examples:"

_ENVIRONMENT = {
    "NO_COLOR": "When it is set, nothing is coloured.",
    "CLUSTER0_CACHE": "Directory of build results; ~/.cache/cluster0 by default.",
    "CLUSTER0_BASE_ISO": "The base live ISO for create image.",
}

_EXIT_CODES = {
    ExitCode.DONE: "Done.",
    ExitCode.BUG: "A bug in cluster0; the message names a file with its traceback.",
    ExitCode.USAGE: "The command line is wrong.",
    ExitCode.CONFIGURATION: "The inputs or the directory are wrong.",
    ExitCode.INFRASTRUCTURE: "A fault outside the inputs: hosts, a full disk, a missing program.",
    ExitCode.BOOTSTRAP_FAILED: "The install failed before the control plane was up.",
    ExitCode.INSTALL_FAILED: "The install failed after that.",
    ExitCode.INTERRUPTED: "Interrupted by Ctrl-C or SIGTERM; no half-written result remains.",
}


def page(context: click.Context, *, version: str, date: str) -> str:
    """The page of the context's command, as roff for man(1)."""
    lines = list(_lines(context, version=version, date=date))
    kept = (line for before, line in pairwise(["", *lines]) if not (line == ".PP" and before.startswith(".SH")))
    return "\n".join(kept) + "\n"


def _lines(context: click.Context, *, version: str, date: str) -> Iterator[str]:
    command, name = context.command, context.command_path.replace(" ", "-")
    blocks = _blocks(cleandoc(command.help or ""))
    examples = [block for block in blocks if block[0] == _EXAMPLES]
    yield roff.title(name, date=date, version=version)
    yield roff.section("NAME")
    yield f"{roff.escaped(name)} \\- {roff.escaped(command.get_short_help_str(limit=200).rstrip('.'))}"
    yield roff.section("SYNOPSIS")
    usage = " ".join(command.collect_usage_pieces(context))
    yield f"\\fB{roff.escaped(context.command_path)}\\fR {roff.escaped(usage)}"
    yield roff.section("DESCRIPTION")
    for block in blocks:
        if block not in examples:
            yield from _block(block)
    if command.epilog and context.parent is not None:
        yield from roff.paragraph(command.epilog)
    yield from _definitions("OPTIONS", _options(context))
    yield from _definitions("COMMANDS", _commands(context))
    for block in examples:
        yield roff.section("EXAMPLES")
        yield from roff.verbatim(line.strip() for line in block[1:])
    yield from _definitions("EXIT STATUS", [(str(code.value), words) for code, words in _EXIT_CODES.items()])
    if context.parent is None:
        yield from _definitions("ENVIRONMENT", list(_ENVIRONMENT.items()))
    else:
        yield roff.section("SEE ALSO")
        yield f"\\fB{roff.escaped(context.parent.command_path.replace(' ', '-'))}\\fR(1)"


def _blocks(text: str) -> list[list[str]]:
    """Paragraphs as lists of lines; a verbatim block keeps its mark, examples do not."""
    found = [block.splitlines() for block in text.split("\n\n") if block.strip()]
    return [block[1:] if block[0] == _VERBATIM and block[1] == _EXAMPLES else block for block in found]


def _block(block: list[str]) -> Iterator[str]:
    return roff.verbatim(block[1:]) if block[0] == _VERBATIM else roff.paragraph("\n".join(block))


def _options(context: click.Context) -> list[tuple[str, str]]:
    options = (one for one in context.command.get_params(context) if isinstance(one, click.Option))
    records = (option.get_help_record(context) for option in options)
    return [record for record in records if record is not None]


def _commands(context: click.Context) -> list[tuple[str, str]]:
    if not isinstance(context.command, click.Group):
        return []
    below = ((name, context.command.get_command(context, name)) for name in context.command.list_commands(context))
    return [
        (f"{context.command_path} {name}".replace(" ", "-") + "(1)", command.get_short_help_str(limit=200))
        for name, command in below
        if command is not None
    ]


def _definitions(name: str, items: list[tuple[str, str]]) -> Iterator[str]:
    if items:
        yield roff.section(name)
        for term, words in items:
            yield from roff.item(term, words)
