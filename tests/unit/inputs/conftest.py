"""The samples of `cluster0 create config`, with a few words replaced."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from inputs.load import AGENT_CONFIG, INSTALL_CONFIG, Examination, examine
from inputs.samples import write_samples

Edits = dict[str, str]
Examine = Callable[..., Examination]


@pytest.fixture
def examined(tmp_path: Path) -> Examine:
    """`examined(install={old: new}, agent={old: new})`: what is found in the samples after these replacements."""

    def run(*, install: Edits | None = None, agent: Edits | None = None) -> Examination:
        write_samples("sno", tmp_path)
        for name, edits in ((INSTALL_CONFIG, install), (AGENT_CONFIG, agent)):
            _replace(tmp_path / name, edits or {})
        return examine(tmp_path)

    return run


def _replace(path: Path, edits: Edits) -> None:
    text = path.read_text()
    for old, new in edits.items():
        assert old in text, f"{old!r} is not in {path.name}"
        text = text.replace(old, new)
    path.write_text(text)
