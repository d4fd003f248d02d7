"""Words that no document, docstring or name may use: each has a plain or a standard term instead."""

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
    "JoinDesk": "JoinCredentialIssuer",
    "Stopwatches": "Timers",
    "Surroundings": "EvaluationCache",
    "Conductor": "StateManager",
    "Stranger": "UnmatchedHost",
}

SEARCHED = ("*.py", "*.md", "*.sh", "units/*", "image-build/iso/*")
OTHERS = ("tests/data/", "tests/lint/test_words.py")


@pytest.mark.parametrize("word", INSTEAD)
def test_the_word_is_not_used(word: str, files: Files) -> None:
    pattern = re.compile(rf"\b{word}\b", re.IGNORECASE if word.islower() else 0)
    found = [
        f"{name}:{number}: {line.strip()}"
        for name in files(*SEARCHED)
        if not name.startswith(OTHERS)
        for number, line in enumerate((REPOSITORY / name).read_text().splitlines(), start=1)
        if pattern.search(line)
    ]
    assert found == [], f"write instead: {INSTEAD[word]}"
