"""The image store: unpacked by the image's containerd at build time, and what that containerd makes of it on a host."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import msgspec
import pytest

from agent.install.state import SNAPSHOTS, populate
from agent.model.host_paths import IMAGE_STORE
from agent.model.payload import CniPlugins, Image, KubeadmApi, PayloadManifest, PayloadSource
from image_build.base_iso.image_store import ImageStore, image_store
from image_build.cache import Cache
from image_build.payload.oci import ImageConfig, Layer, write_archive, write_layout

pytestmark = [pytest.mark.integration, pytest.mark.timeout(300)]

REFERENCE = "registry.example/lab/shell:1.0"
SCRIPT = Path(__file__).with_name("containerd_on_store.sh")
# A shell and what it is linked to, by their places in Debian's root.
PROGRAM = ("usr/bin/dash", "usr/lib64/ld-linux-x86-64.so.2", "usr/lib/x86_64-linux-gnu/libc.so.6")


@pytest.fixture(scope="module")
def debian() -> Path:
    """The newest Debian root that an image build left in the user's cache: making one takes minutes."""
    if os.geteuid() != 0:
        pytest.skip("mounting needs root")
    if missing := [program for program in ("curl", "strings", "unshare") if shutil.which(program) is None]:
        pytest.skip(f"not installed: {', '.join(missing)}")
    roots = sorted((Cache.of_user().root / "debian-root").glob("[0-9a-f]*/packages.json"), key=os.path.getmtime)
    if not roots:
        pytest.skip("no Debian root in the cache: run `make image`")
    return roots[-1].parent


@pytest.fixture(scope="module")
def payload(debian: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A payload directory with one image: a shell."""
    directory = tmp_path_factory.mktemp("payload")
    with Layer.writing(directory / "layer.tar") as layer:
        for path in PROGRAM:
            layer.add_file(path, debian / "root" / path)
        layer.add_link("bin/sh", "/usr/bin/dash")
        layer.add_link("lib64", "usr/lib64")
    write_layout(directory / "layout", directory / "layer.tar", ImageConfig(entrypoint=["/bin/sh"]))
    digest = write_archive(directory / "layout", REFERENCE, directory / "shell.tar")
    size = (directory / "shell.tar").stat().st_size
    manifest = PayloadManifest(
        kubernetes_version="v1.20.2",
        source=PayloadSource.DEBIAN,
        kubeadm_api=KubeadmApi.V1BETA2,
        image_repository="registry.example",
        binaries=(),
        images=(Image(reference=REFERENCE, archive="shell.tar", digest=digest, size=size),),
        network_plugin="host-gateway",
        pause=REFERENCE,
        etcd=REFERENCE,
        cni_plugins=CniPlugins.DEBIAN,
        packages=(),
    )
    (directory / "manifest.json").write_bytes(msgspec.json.encode(manifest))
    return directory


def make_store(debian: Path, payload: Path, cache: Path) -> ImageStore:
    cache.mkdir()
    manifest = msgspec.json.decode((payload / "manifest.json").read_bytes(), type=PayloadManifest)
    return image_store(debian, payload, manifest, Cache(cache))


def test_layers_are_unpacked_and_not_kept_twice(debian: Path, payload: Path, tmp_path: Path) -> None:
    store = make_store(debian, payload, tmp_path / "cache")
    assert store.references == (REFERENCE,)
    assert [path.name for path in store.snapshots.glob("*/fs/usr/bin/*")] == ["dash"]
    assert sum(path.stat().st_size for path in store.root.rglob("*") if path.is_file()) < 300_000


def test_equal_images_give_equal_stores(debian: Path, payload: Path, tmp_path: Path) -> None:
    first = make_store(debian, payload, tmp_path / "first")
    second = make_store(debian, payload, tmp_path / "second")
    subprocess.run(["diff", "--recursive", "--no-dereference", first.root.parent, second.root.parent], check=True)


def test_containerd_uses_the_image_store_through_links(debian: Path, payload: Path, tmp_path: Path) -> None:
    store = make_store(debian, payload, tmp_path / "cache")
    image, state = tmp_path / "image", tmp_path / "state"
    (image / IMAGE_STORE).parent.mkdir(parents=True)
    (image / IMAGE_STORE).symlink_to(store.root.parent)
    populate(image, state)
    namespaces = ["unshare", "--mount", "--pid", "--net", "--fork", "--kill-child", "--propagation", "private"]
    arguments: list[Path | str] = [SCRIPT, debian / "root", store.root.parent, state, REFERENCE]
    run = subprocess.run([*namespaces, *arguments], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    lines = run.stdout.splitlines()
    for start in ("first", "second"):
        assert f"{start} ctr {REFERENCE}" in lines
        assert any(line.startswith(f"{start} cri ") and REFERENCE in line for line in lines)
        assert f"{start} container says hello" in lines
    assert all(link.is_symlink() for link in (state / SNAPSHOTS).iterdir() if link.name == "1")
