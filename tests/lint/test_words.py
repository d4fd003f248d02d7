"""Words that no document, docstring or name may use: each hides the actor, or has a plainer synonym."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from tests.paths import REPOSITORY

Files = Callable[..., list[str]]

INSTEAD = {
    "anew": "again, from scratch",
    "nobody": "name the actor: no user, no host, no process",
    "whoever": "name the actor: the process that …",
    "for ever": "without limit, indefinitely",
}

SEARCHED = ("*.py", "*.md", "*.sh", "units/*", "image-build/iso/*")
OTHERS = ("tests/data/", "tests/lint/test_words.py")


@pytest.mark.parametrize("word", INSTEAD)
def test_the_word_is_not_used(word: str, files: Files) -> None:
    pattern = re.compile(rf"\b{word}\b", re.IGNORECASE)
    found = [
        f"{name}:{number}: {line.strip()}"
        for name in files(*SEARCHED)
        if not name.startswith(OTHERS)
        for number, line in enumerate((REPOSITORY / name).read_text().splitlines(), start=1)
        if pattern.search(line)
    ]
    assert found == [], f"write instead: {INSTEAD[word]}"
