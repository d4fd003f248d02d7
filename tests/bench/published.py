"""The published rows, in `docs/bench.json`: those of this run, and of earlier runs those that this one did not take."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from agent.machine import Files
from tests.bench.figures import Figure, Row
from tests.bench.page import page
from tests.bench.quotes import refresh
from tests.paths import REPOSITORY

ROWS = Path("docs/bench.json")
PAGE = Path("docs/figures.md")


def published(checkout: Path = REPOSITORY) -> tuple[Row, ...]:
    """Raises `Problem` (`bad-document`) when the file is not as this module writes it."""
    return Files(checkout).load(ROWS, tuple[Row, ...]) or ()


def merged(rows: Iterable[Row], new: Iterable[Row], figures: Sequence[Figure]) -> tuple[Row, ...]:
    """One row for each figure that has one, in the order of `figures`; a new row replaces that of an earlier run."""
    latest = {row.id: row for row in (*rows, *new)}
    return tuple(latest[figure.id] for figure in figures if figure.id in latest)


def publish(new: Iterable[Row], figures: Sequence[Figure], checkout: Path = REPOSITORY) -> None:
    """Write rows and page, and put the new medians where documents quote them. Files keep their owner."""
    rows = merged(published(checkout), new, figures)
    files = Files(checkout)
    ours = checkout.stat()
    written = [files.save(ROWS, rows), files.write(PAGE, page(figures, rows)), *refresh(checkout, figures, rows)]
    for path in written:
        os.chown(path, ours.st_uid, ours.st_gid)
