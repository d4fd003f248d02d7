"""Shell and spelling."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tests.paths import REPOSITORY

Lint = Callable[[Sequence[str]], None]
Files = Callable[..., list[str]]

ROOT = REPOSITORY


def _is_shell(name: str) -> bool:
    with (ROOT / name).open("rb") as file:
        first = file.readline()
    return first.startswith(b"#!") and (first.rstrip().endswith(b"sh"))


def test_shellcheck(lint: Lint, files: Files) -> None:
    scripts = [name for name in files() if _is_shell(name)]
    assert scripts, "no shell script found: the search is broken"
    lint(["shellcheck", *scripts])


def test_spelling(lint: Lint, files: Files) -> None:
    # Golden files and recorded data are spelled by others, and titles in a schema by pydantic; mdoe is
    # misspelt on purpose, in a test of Ignition's validator.
    others = ("tests/data/", "replay/machines/", "LICENSE", ".")
    names = [name for name in files() if not name.startswith(others) and not name.endswith(".schema.json")]
    lint(["codespell", "--ignore-words-list=mdoe", *names])
