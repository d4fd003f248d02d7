"""The help of every command, word for word, and that it fits the terminal."""

from __future__ import annotations

from collections.abc import Callable

import click
import pytest
from click.testing import CliRunner

from cli.command_tree import every_command
from cli.main import main
from image_build.man.page import page

COMMANDS = {context.command_path: context for context in every_command(main, "cluster0")}
USER_COMMANDS = [path for path in COMMANDS if not path.startswith("cluster0 lab")]
LEAVES = [path for path, context in COMMANDS.items() if not isinstance(context.command, click.Group)]


def help_of(path: str, width: int) -> str:
    arguments = [*path.split()[1:], "--help"]
    result = CliRunner().invoke(main, arguments, prog_name="cluster0", terminal_width=width)
    assert result.exit_code == 0
    return result.stdout


@pytest.mark.parametrize("path", USER_COMMANDS)
def test_help_is_word_for_word_as_agreed(path: str, golden: Callable[[str, str], None]) -> None:
    golden(f"help/{path.replace(' ', '-')}.txt", help_of(path, 100))


@pytest.mark.parametrize("path", LEAVES)
def test_every_command_has_examples_that_are_commands(path: str) -> None:
    _, found, examples = help_of(path, 100).partition("Examples:\n")
    assert found
    assert f"  {path} " in examples or examples.split("\n")[0].strip() == path


@pytest.mark.parametrize("path", ["cluster0", "cluster0 create image", "cluster0 wait-for"])
def test_on_a_narrow_terminal_nothing_but_examples_is_wider(path: str) -> None:
    before, _, _ = help_of(path, 40).partition("Examples:")
    kept = {"bootstrap-complete  the", "install-complete    node0"}
    wide = [line for line in before.splitlines() if len(line) > 40 and not any(word in line for word in kept)]
    assert wide == []


def test_the_manual_page_of_a_command_renders(golden: Callable[[str, str], None]) -> None:
    text = page(COMMANDS["cluster0 create image"], version="1.2.3", date="2026-01-01")
    golden("man/cluster0-create-image.1", text)


def test_the_manual_page_escapes_text_that_looks_like_roff() -> None:
    command = click.Command("odd", help=".SH is not a heading; \\fB is not bold.\n\n'quoted' ∞")
    text = page(click.Context(command, info_name="odd"), version="1", date="2026-01-01")
    assert "\n\\&.SH is not a heading; \\efB is not bold.\n" in text
    assert "\n\\(aqquoted\\(aq \\[u221E]\n" in text
