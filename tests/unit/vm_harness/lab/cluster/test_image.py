"""When a lab's ISO may be used as it is."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from cli.cluster_directory import ISO
from vm_harness.lab.cluster import image

MADE = 1_000_000_000


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """An ISO, and inputs of both forms with a manifest beside them, all of the same time."""
    files = (ISO, "install-config.yaml", "cluster-manifests/cluster0.yaml", "manifests/app.yaml")
    for name in files:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    for path in tmp_path.rglob("*"):
        os.utime(path, (MADE, MADE))
    return tmp_path


def test_it_is_current_while_nothing_is_newer(site: Path) -> None:
    assert image.is_current(site, None)


@pytest.mark.parametrize("edited", ["install-config.yaml", "cluster-manifests/cluster0.yaml", "manifests/app.yaml"])
def test_whatever_is_edited_makes_it_old(edited: str, site: Path) -> None:
    os.utime(site / edited, (MADE, MADE + 1))
    assert not image.is_current(site, None)


def test_a_manifest_that_went_makes_it_old(site: Path) -> None:
    (site / "manifests/app.yaml").unlink()
    assert not image.is_current(site, None)


def test_another_base_makes_it_old(site: Path) -> None:
    base = site / "base.iso"
    base.touch()
    assert not image.is_current(site, base)
