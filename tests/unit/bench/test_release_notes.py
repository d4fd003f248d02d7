"""Release notes: the changes since the last release, and the published figures."""

from __future__ import annotations

from tests.bench.release_notes import notes
from tests.unit.bench.rows import FIGURES, OLD, size_row

SUBJECTS = ["node0: Answer sooner", "agent: Import less", "node0: Keep less"]


def test_changes_are_sorted_by_area() -> None:
    lines = list(notes("0.2.0", "abcdef0123", "v0.1.0", SUBJECTS, FIGURES, []))
    assert lines[:8] == [
        "# cluster0 0.2.0", "", "Commit `abcdef0123`.", "", "## Changes since v0.1.0", "",
        "- agent: Import less", "- node0: Answer sooner",
    ]  # fmt: skip


def test_the_first_release_lists_no_changes() -> None:
    text = "\n".join(notes("0.1.0", "abcdef0123", "", [], FIGURES, []))
    assert "The first release." in text
    assert "## Changes" not in text


def test_published_figures_are_quoted_with_their_commit() -> None:
    text = "\n".join(notes("0.1.0", "abcdef0123", "", [], FIGURES, [size_row(489, run=OLD)]))
    assert "| [size](docs/figures.md#size) | 489 MB |" in text
    assert f"| 1 | {OLD.date} | `{OLD.commit}`, with changes that are not committed |" in text
    assert "not measured" not in text
