"""Documents: lines that fit, links that lead somewhere, paths that exist."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath

import pytest

from tests.lint.conftest import tracked
from tests.paths import REPOSITORY

Files = Callable[..., list[str]]

COLUMNS = 100
DOCUMENTS = [name for name in tracked("*.md") if not name.startswith("tests/data/golden/")]

_LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")
_CODE = re.compile(r"`([^`]+)`")
_PATH = re.compile(r"\.?\w[\w.,{}*/-]*")
_BRACES = re.compile(r"\{([^{}]*)\}")
_PROGRAM = (".py", ".sh", ".md")
_PLACEHOLDER = re.compile(r"\b[A-Z]{2,}(\.py|/|$)")  # `rules/SUBJECT.py`


def _prose(name: str) -> Iterator[tuple[int, str]]:
    """Lines with their numbers, without code blocks."""
    is_code = False
    for number, line in enumerate((REPOSITORY / name).read_text().splitlines(), start=1):
        if line.lstrip().startswith("```"):
            is_code = not is_code
        elif not is_code and not line.startswith("    "):
            yield number, line


@pytest.mark.parametrize("name", DOCUMENTS)
def test_lines_fit_into_100_columns(name: str) -> None:
    wide = [
        f"{name}:{number}: {len(line)} columns"
        for number, line in _prose(name)
        if len(line) > COLUMNS and not line.startswith("|") and not _is_one_link(line)
    ]
    assert wide == []


def _is_one_link(line: str) -> bool:
    """A link has no place to break at, so it may stand on a line of its own."""
    return re.fullmatch(r"\s*([-*] )?(\S*\[[^\]]*\]\(\S+\)\S*|<?https?://\S+)", line) is not None


@pytest.mark.parametrize("name", DOCUMENTS)
def test_links_lead_somewhere(name: str) -> None:
    dead = [
        f"{name}:{number}: {target}"
        for number, line in _prose(name)
        for target in _LINK.findall(line)
        if not target.startswith(("http://", "https://")) and not _leads_somewhere(name, target)
    ]
    assert dead == []


def _leads_somewhere(name: str, target: str) -> bool:
    path, _, anchor = target.partition("#")
    found = (REPOSITORY / name).parent / path if path else REPOSITORY / name
    return found.exists() and (not anchor or anchor in _anchors(found))


def _anchors(path: Path) -> set[str]:
    """Of each heading, as GitHub makes them."""
    headings = (line.lstrip("#").strip() for line in path.read_text().splitlines() if line.startswith("#"))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_paths_of_the_repository_exist(name: str, files: Files) -> None:
    known = _with_folders(files())
    missing = [
        f"{name}:{number}: {path}"
        for number, line in _prose(name)
        for text in _CODE.findall(line)
        if _PATH.fullmatch(text) and _looks_like_ours(name, line, text, known)
        for path in _expanded(text)
        if not _exists(name, path.rstrip("/"), known)
    ]
    assert missing == []


def _with_folders(files: list[str]) -> set[str]:
    return {*files, *(str(parent) for file in files for parent in PurePosixPath(file).parents)}


def _looks_like_ours(name: str, line: str, text: str, known: set[str]) -> bool:
    """A path below a folder at the top, a program, or what a table in a folder's README lists in its first column."""
    top, slash, _ = text.partition("/")
    if _PLACEHOLDER.search(text):
        return False
    is_listed = name.endswith("/README.md") and line.startswith(f"| `{text}`") and text[0].islower()
    return (bool(slash) and top in known) or text.endswith(_PROGRAM) or (is_listed and text.endswith("/"))


def _expanded(text: str) -> Iterator[str]:
    """`a/{b,c}.py` as `a/b.py` and `a/c.py`."""
    braces = _BRACES.search(text)
    if braces is None:
        yield text
        return
    for word in braces[1].split(","):
        yield from _expanded(text[: braces.start()] + word + text[braces.end() :])


def _exists(name: str, path: str, known: set[str]) -> bool:
    """From the top, from the document's folder, or as the end of a path that only one reading fits."""
    own = str(PurePosixPath(name).parent / path)
    return any(fnmatchcase(each, path) or fnmatchcase(each, own) or each.endswith(f"/{path}") for each in known)
