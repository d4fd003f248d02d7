"""`make release-notes`: what changed since the last release, and the published figures, as Markdown on standard output.

A release is a tag `vVERSION`; the subject of a commit is `area: Imperative subject`.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterable, Iterator, Sequence

from tests.bench.computer import git
from tests.bench.figures import Figure, Row
from tests.bench.measurements import FIGURES
from tests.bench.page import overview
from tests.bench.published import PAGE, published
from tests.paths import REPOSITORY


def main() -> int:
    version = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]["version"]
    last = _last_release(version)
    subjects = git("log", "--no-merges", "--format=%s", f"{last}..HEAD").splitlines() if last else []
    lines = notes(version, git("rev-parse", "--short=10", "HEAD").strip(), last, subjects, FIGURES, published())
    sys.stdout.writelines(f"{line}\n" for line in lines)
    return 0


def notes(
    version: str, commit: str, last: str, subjects: Iterable[str], figures: Sequence[Figure], rows: Sequence[Row]
) -> Iterator[str]:
    """Lines. `last`: the tag of the release before, empty if there is none; `subjects`: of the commits since then."""
    yield from (f"# cluster0 {version}", "", f"Commit `{commit}`.", "")
    if last:
        yield from (f"## Changes since {last}", "", *_changes(subjects), "")
    else:
        yield from ("The first release.", "")
    measured = {row.id for row in rows}
    yield from ("## Figures", "", f"From `{PAGE}`, which has each sample.", "")
    yield from overview([figure for figure in figures if figure.id in measured], rows, address=str(PAGE))


def _changes(subjects: Iterable[str]) -> Iterator[str]:
    """Sorted by area; commits of one area keep their order."""
    for subject in sorted(subjects, key=lambda subject: subject.partition(":")[0].lower()):
        yield f"- {subject}"


def _last_release(version: str) -> str:
    """The latest tag of an earlier version before this commit; empty if there is none."""
    tags = git("tag", "--merged", "HEAD", "--sort=-version:refname", "--list", "v*").split()
    return next((tag for tag in tags if tag != f"v{version}"), "")


if __name__ == "__main__":
    sys.exit(main())
