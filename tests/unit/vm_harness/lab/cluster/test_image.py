"""When an ISO may be used without making it again."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from cli.cluster_directory import ISO
from vm_harness.lab.cluster import image

MADE = 1_000_000_000


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """An ISO, inputs of both forms and an extra manifest, all of the same time."""
    files = (ISO, "install-config.yaml", "cluster-manifests/cluster0.yaml", "manifests/app.yaml")
    for name in files:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    for path in tmp_path.rglob("*"):
        os.utime(path, (MADE, MADE))
    return tmp_path


def test_an_iso_is_current_while_no_input_is_newer(site: Path) -> None:
    assert image.is_current(site, None)


@pytest.mark.parametrize("edited", ["install-config.yaml", "cluster-manifests/cluster0.yaml", "manifests/app.yaml"])
def test_an_edited_input_makes_the_iso_old(edited: str, site: Path) -> None:
    os.utime(site / edited, (MADE, MADE + 1))
    assert not image.is_current(site, None)


def test_a_removed_manifest_makes_the_iso_old(site: Path) -> None:
    (site / "manifests/app.yaml").unlink()
    assert not image.is_current(site, None)


def test_a_newer_base_iso_makes_the_iso_old(site: Path) -> None:
    base = site / "base.iso"
    base.touch()
    assert not image.is_current(site, base)
