"""Options that the commands of a lab share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])


def directory_option(command: Command) -> Command:
    """`--dir`, as `directory: Path`; it may not exist yet."""
    kind = click.Path(file_okay=False, path_type=Path)
    return click.option(
        "--dir", "directory", type=kind, default=".", show_default=True, help="Directory of the inputs and the results."
    )(command)
