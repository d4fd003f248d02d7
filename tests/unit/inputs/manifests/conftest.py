"""A directory with the manifests of a sample."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from inputs.document.findings import Finding
from inputs.load import AGENT_CONFIG, INSTALL_CONFIG, load_inputs
from inputs.manifests import DIRECTORY
from inputs.samples import write_samples
from inputs.write_manifests.create import create

Found = Callable[[], list[tuple[str, str, str]]]


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """The two files of the compact sample, and their manifests."""
    write_samples("compact", tmp_path)
    create(tmp_path, force=False)
    return tmp_path


@pytest.fixture
def manifests_only(site: Path) -> Path:
    """The manifests, without the two files."""
    for name in (INSTALL_CONFIG, AGENT_CONFIG):
        (site / name).unlink()
    return site / DIRECTORY


@pytest.fixture
def found(manifests_only: Path) -> Found:
    """`found()`: file, path and code of the current findings."""
    return lambda: [short(finding) for finding in load_inputs(manifests_only.parent).findings]


def short(finding: Finding) -> tuple[str, str, str]:
    return Path(finding.file).name, finding.path, finding.code


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text, f"{old!r} is not in {path.name}"
    path.write_text(text.replace(old, new, 1))
