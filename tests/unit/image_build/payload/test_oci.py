"""OCI archives: valid for other programs, and byte-identical for the same content."""

from __future__ import annotations

import hashlib
import json
import tarfile
from pathlib import Path

import pytest

from image_build.payload.debian_images import ImageRecipe, write_image
from image_build.payload.oci import write_archive

REFERENCE = "registry.test/team/hello:1.0"


@pytest.fixture
def recipe(tmp_path: Path) -> ImageRecipe:
    program = tmp_path / "hello"
    program.write_text("#!/bin/sh\necho hello\n")
    library = tmp_path / "root/usr/lib/libhello.so"
    hidden = tmp_path / "root/etc/resolv.conf"
    for file in (library, hidden):
        file.parent.mkdir(parents=True)
        file.write_text(file.name)
    base = tmp_path / "base.tar"
    with tarfile.open(base, "w") as tar:
        tar.add(tmp_path / "root", ".")
    return ImageRecipe(("hello",), program, "usr/local/bin/hello", base, {"bin/hi": "../usr/local/bin/hello"})


def archive_of(recipe: ImageRecipe, directory: Path) -> Path:
    directory.mkdir()
    archive = directory / "image.tar"
    write_archive(write_image(recipe, directory / "layout"), REFERENCE, archive)
    return archive


def blob(archive: tarfile.TarFile, digest: str) -> bytes:
    content = archive.extractfile(f"blobs/sha256/{digest.removeprefix('sha256:')}")
    assert content is not None
    data = content.read()
    assert f"sha256:{hashlib.sha256(data).hexdigest()}" == digest
    return data


def test_an_image_archive_is_reproducible(recipe: ImageRecipe, tmp_path: Path) -> None:
    first = archive_of(recipe, tmp_path / "first")
    assert recipe.program
    recipe.program.touch()
    assert archive_of(recipe, tmp_path / "second").read_bytes() == first.read_bytes()


def test_the_layer_has_the_recipes_files_and_nothing_of_the_build_host(recipe: ImageRecipe, tmp_path: Path) -> None:
    with tarfile.open(archive_of(recipe, tmp_path / "image")) as archive:
        index = json.load(archive.extractfile("index.json") or pytest.fail("no index"))
        (entry,) = index["manifests"]
        assert entry["annotations"]["io.containerd.image.name"] == REFERENCE
        manifest = json.loads(blob(archive, entry["digest"]))
        config = json.loads(blob(archive, manifest["config"]["digest"]))
        (layer,) = manifest["layers"]
        (tmp_path / "layer.tar").write_bytes(blob(archive, layer["digest"]))
    assert config["rootfs"]["diff_ids"] == [layer["digest"]]
    assert config["config"]["Entrypoint"] == ["hello"]
    with tarfile.open(tmp_path / "layer.tar") as tar:
        files = {member.name: member for member in tar if not member.isdir()}
    assert sorted(files) == ["bin/hi", "usr/lib/libhello.so", "usr/local/bin/hello"]
    assert files["bin/hi"].linkname == "../usr/local/bin/hello"
    assert files["usr/local/bin/hello"].mode == 0o755
    assert {(member.uid, member.gid, member.mtime) for member in files.values()} == {(0, 0, 0)}


def test_the_digest_of_an_image_is_that_of_its_manifest(recipe: ImageRecipe, tmp_path: Path) -> None:
    digest = write_archive(write_image(recipe, tmp_path / "layout"), REFERENCE, tmp_path / "image.tar")
    with tarfile.open(tmp_path / "image.tar") as archive:
        assert json.loads(blob(archive, digest))["mediaType"] == "application/vnd.oci.image.manifest.v1+json"
