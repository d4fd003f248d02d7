"""Output for programs: `-o json`."""

from __future__ import annotations

from typing import Any

import click
import msgspec

from agent.model.printable import printable_json


def echo_json(document: Any) -> None:
    """One line on standard output. Control characters in it are written as JSON's escapes, which change no value."""
    click.echo(printable_json(msgspec.json.encode(document)))
