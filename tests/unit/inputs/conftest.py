"""The samples of `cluster0 create config`, with a few words replaced."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from inputs.load import AGENT_CONFIG, INSTALL_CONFIG, LoadResult, load_inputs
from inputs.samples import write_samples

Edits = dict[str, str]
LoadEdited = Callable[..., LoadResult]


@pytest.fixture
def load_edited(tmp_path: Path) -> LoadEdited:
    """`load_edited(install={old: new}, agent={old: new})`: loads the samples after these replacements."""

    def run(*, install: Edits | None = None, agent: Edits | None = None) -> LoadResult:
        write_samples("sno", tmp_path)
        for name, edits in ((INSTALL_CONFIG, install), (AGENT_CONFIG, agent)):
            _replace(tmp_path / name, edits or {})
        return load_inputs(tmp_path)

    return run


def _replace(path: Path, edits: Edits) -> None:
    text = path.read_text()
    for old, new in edits.items():
        assert old in text, f"{old!r} is not in {path.name}"
        text = text.replace(old, new)
    path.write_text(text)
