"""All commands, as click defines them."""

from __future__ import annotations

from collections.abc import Iterator

import click


def every_command(command: click.Command, name: str, parent: click.Context | None = None) -> Iterator[click.Context]:
    """A context for `command`, called `name`, and for each command below it, depth first. Imports them all."""
    context = click.Context(command, parent=parent, info_name=name, **command.context_settings)
    yield context
    if isinstance(command, click.Group):
        for child in command.list_commands(context):
            below = command.get_command(context, child)
            assert below is not None, "it was listed"
            yield from every_command(below, child, context)
