"""containerd's root directory on the state file system, made from a root image on disk."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent.install.state import CONTAINERD, SNAPSHOTS, plan, populate
from agent.model.host_paths import IMAGE_STORE

DATABASE = "io.containerd.metadata.v1.bolt/meta.db"


@pytest.fixture
def image(tmp_path: Path) -> Path:
    """A root image with two unpacked layers, as the build creates it."""
    root = tmp_path / "image"
    skeleton = root / IMAGE_STORE / "root"
    for path, content in {
        DATABASE: "images",
        "io.containerd.snapshotter.v1.overlayfs/metadata.db": "snapshots",
        "io.containerd.content.v1.content/blobs/sha256/aa": "manifest",
    }.items():
        (skeleton / path).parent.mkdir(parents=True, exist_ok=True)
        (skeleton / path).write_text(content)
    (skeleton / "io.containerd.snapshotter.v1.overlayfs/snapshots").mkdir(mode=0o700)
    for number in ("1", "2"):
        (root / IMAGE_STORE / "snapshots" / number / "fs").mkdir(parents=True)
    return root


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"


def test_the_link_plan_names_every_unpacked_layer(image: Path) -> None:
    assert plan(image).snapshots == ("1", "2")


def test_metadata_of_the_image_store_is_copied_and_layers_are_linked(image: Path, state: Path) -> None:
    populate(image, state)
    assert (state / CONTAINERD / DATABASE).read_text() == "images"
    assert (state / CONTAINERD / "io.containerd.content.v1.content/blobs/sha256/aa").read_text() == "manifest"
    assert {link.name: str(link.readlink()) for link in (state / SNAPSHOTS).iterdir()} == {
        "1": "/run/cluster0/images/1",
        "2": "/run/cluster0/images/2",
    }


def test_preparing_the_image_store_again_keeps_what_containerd_wrote(image: Path, state: Path) -> None:
    populate(image, state)
    (state / CONTAINERD / DATABASE).write_text("containers too")
    (state / SNAPSHOTS / "2").unlink()
    populate(image, state)
    assert (state / CONTAINERD / DATABASE).read_text() == "containers too"
    assert (state / SNAPSHOTS / "2").is_symlink()


def test_an_interrupted_image_store_is_replaced(image: Path, state: Path) -> None:
    populate(image, state)
    (state / CONTAINERD / DATABASE).unlink()
    (state / CONTAINERD / "io.containerd.snapshotter.v1.overlayfs/metadata.db").write_text("half")
    populate(image, state)
    assert (state / CONTAINERD / DATABASE).read_text() == "images"
    assert (state / CONTAINERD / "io.containerd.snapshotter.v1.overlayfs/metadata.db").read_text() == "snapshots"
