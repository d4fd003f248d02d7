"""Figures that documents quote.

A quote is a link to the figure's section of the page, and its text is the median:
`[489 MB](docs/figures.md#base-iso)`. So a reader finds when and where it was measured, and a test finds each quote that
is out of date.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from agent.machine import Files
from tests.bench.figures import Figure, Row

_QUOTE = re.compile(r"\[(?P<text>[^\]]*)\](?P<target>\([./\w-]*figures\.md#(?P<id>[\w-]+)\))")


def quotable(figures: Iterable[Figure], rows: Iterable[Row]) -> dict[str, str]:
    """Figure → its median as documents quote it, for figures that are published."""
    medians = {row.id: row.median for row in rows}
    return {figure.id: figure.text(medians[figure.id]) for figure in figures if figure.id in medians}


def outdated(text: str, known: dict[str, str]) -> Iterator[str]:
    """The quotes in `text` that say something else than `known`, or quote what is not published."""
    for quote in _QUOTE.finditer(text):
        if quote["text"] != known.get(quote["id"]):
            yield f"{quote[0]}: the figure is {known.get(quote['id'], 'not published')}"


def refresh(checkout: Path, figures: Sequence[Figure], rows: Sequence[Row]) -> Iterator[Path]:
    """Rewrite each document whose quotes have changed. Yields its path, afterwards."""
    known = quotable(figures, rows)
    for name in documents(checkout):
        text = (checkout / name).read_text()
        new = _QUOTE.sub(lambda quote: f"[{known.get(quote['id'], quote['text'])}]{quote['target']}", text)
        if new != text:
            yield Files(checkout).write(name, new)


def documents(checkout: Path) -> list[str]:
    """Markdown files that git tracks, relative to `checkout`."""
    argv = ["git", "-c", f"safe.directory={checkout}", "ls-files", "-z", "--", "*.md"]
    listed = subprocess.run(argv, cwd=checkout, check=True, stdout=subprocess.PIPE, text=True).stdout
    return [name for name in listed.split("\0") if name and (checkout / name).is_file()]
