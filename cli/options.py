"""Options that several commands share."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])


class Output(StrEnum):
    TEXT = "text"
    JSON = "json"


_META = "cluster0.output"


def directory_option(command: Command) -> Command:
    """`--dir`, as `directory: Path`."""
    kind = click.Path(exists=True, file_okay=False, path_type=Path)
    return click.option(
        "--dir", "directory", type=kind, default=".", show_default=True, help="Directory of the inputs and the results."
    )(command)


def named(path: Path) -> str:
    """`path`, quoted for a shell command that the user may copy."""
    return shlex.quote(str(path))


def login_options(command: Command) -> Command:
    """`--user` and `--ssh-key`, as `user: str` and `key: Path | None`."""
    kind = click.Path(exists=True, dir_okay=False, path_type=Path)
    key = click.option("--ssh-key", "key", type=kind, help="Private key.  [default: those that ssh finds by itself]")
    user = click.option("--user", default="core", show_default=True, help="Login user on the hosts.")
    return user(key(command))


def output_option(command: Command) -> Command:
    """`-o text|json`, as `output: Output`; failures are printed in the same format."""

    def remember(context: click.Context, _option: click.Parameter, value: str) -> Output:
        context.meta[_META] = Output(value)
        return Output(value)

    return click.option(
        "-o", "--output", type=click.Choice([form.value for form in Output]), default=Output.TEXT.value,
        show_default=True, callback=remember, help="Format of standard output.",
    )(command)  # fmt: skip


def chosen_output(context: click.Context) -> Output:
    """The `--output` of the command that ran below `context`; text when it has no such option."""
    return Output(context.meta.get(_META, Output.TEXT))
