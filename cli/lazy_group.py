"""A click group that imports a command only when it is called: `cluster0 --help` needs neither TLS nor YAML."""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


@dataclass(frozen=True)
class Lazy:
    """A command that is not imported yet. `target`: `module:attribute`; `help`: its line in the list of commands."""

    target: str
    help: str

    def load(self) -> click.Command:
        module, _, attribute = self.target.partition(":")
        command = getattr(importlib.import_module(module), attribute)
        assert isinstance(command, click.Command)
        return command


class LazyGroup(click.Group):
    """`lazy`: name → command. `extensions`: an entry point group that adds commands of other packages."""

    def __init__(
        self, *arguments: Any, lazy: Mapping[str, Lazy | click.Group], extensions: str = "", **options: Any
    ) -> None:
        super().__init__(*arguments, **options)
        self._lazy = dict(lazy)
        self._extensions = extensions

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*self._lazy, *(point.name for point in self._entry_points())]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in self._lazy:
            command = self._lazy[cmd_name]
            return command.load() if isinstance(command, Lazy) else command
        for point in self._entry_points():
            if point.name == cmd_name:
                extension = point.load()
                assert isinstance(extension, click.Command)
                return extension
        return None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] in self._lazy:
            return super().resolve_command(ctx, args)
        known = self.list_commands(ctx)
        if args[0] not in known and not args[0].startswith("-"):
            close = difflib.get_close_matches(args[0], known, n=1)
            hint = f"Did you mean '{close[0]}'? " if close else ""
            ctx.fail(f"There is no command '{args[0]}'. {hint}Commands: {', '.join(known)}.")
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Names without importing their commands: completion must not take a second."""
        helps = {point.name: "" for point in self._entry_points()} | {
            name: command.help or "" for name, command in self._lazy.items()
        }
        items = [CompletionItem(name, help=words) for name, words in helps.items() if name.startswith(incomplete)]
        return [*items, *click.Command.shell_complete(self, ctx, incomplete)]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, command.help or "") for name, command in self._lazy.items()])
        others = self._entry_points()
        if others:
            with formatter.section("More commands"):
                formatter.write_dl([(point.name, f"See `{ctx.command_path} {point.name} --help`.") for point in others])

    def _entry_points(self) -> list[EntryPoint]:
        if not self._extensions:
            return []
        # Reads the metadata of every installed package; most commands are our own.
        from importlib.metadata import entry_points

        return list(entry_points(group=self._extensions))
