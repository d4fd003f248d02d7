"""Mirrors and CAs of the inputs in the hands of those who use them: Debian's update-ca-certificates, containerd's
resolver, and a real registry that only the site's own CA vouches for."""

from __future__ import annotations

import base64
import gzip
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ignition import spec
from image_build.cluster_iso.mirrors import CERTS_D
from image_build.cluster_iso.site_files import CA_DIRECTORY, site_files
from image_build.payload.oci import ImageConfig, Layer, write_archive, write_layout
from inputs.cluster_intent import cluster_intent
from inputs.load import INSTALL_CONFIG, load_inputs
from inputs.samples import write_samples
from tests.fakes.image_build.registry import PASSWORD, USER, RegistryServer, serving_registry
from tests.fakes.system.tls import LoopbackTls, make_loopback_tls

pytestmark = pytest.mark.integration

# No name server knows it: an image that arrives came from the mirror.
IMAGE = "registry.invalid/team/app:1.0"


@pytest.fixture
def tls(tmp_path: Path) -> LoopbackTls:
    return make_loopback_tls(tmp_path)


@pytest.fixture
def mirror(tmp_path: Path, tls: LoopbackTls) -> Iterator[RegistryServer]:
    with Layer.writing(tmp_path / "layer.tar") as layer:
        layer.add_file("etc/app", Path(__file__))
    write_layout(tmp_path / "layout", tmp_path / "layer.tar", ImageConfig(entrypoint=["/etc/app"]))
    write_archive(tmp_path / "layout", IMAGE, tmp_path / "app.tar")
    with serving_registry(tls, tmp_path) as server:
        server.push(tmp_path / "app.tar", "cache/team/app:1.0")
        yield server


def live_root(directory: Path, mirror: str, ca: str) -> Path:
    """The files that a site with this mirror and this CA has in its live system."""
    write_samples("sno", directory)
    (directory / "mirror").mkdir()
    (directory / "mirror/ca-bundle.crt").write_text(ca)
    with (directory / INSTALL_CONFIG).open("a") as config:
        config.write(f"imageDigestSources: [{{source: registry.invalid/team, mirrors: ['{mirror}/cache/team']}}]\n")
    inputs = load_inputs(directory).valid_inputs()
    intent = cluster_intent(inputs, cluster_id="c", infra_env_id="i", created_at="2026-05-06T00:00:00Z")
    for file in site_files(inputs, intent):
        path = directory / "root" / file.path.lstrip("/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content(file))
    return directory / "root"


def content(file: spec.File) -> bytes:
    data = base64.b64decode(file.contents.source.partition("base64,")[2])
    return gzip.decompress(data) if file.contents.compression else data


def trust(root: Path) -> Path:
    """What `cluster0-ca-certificates.service` runs, below `root`; returns the bundle that programs read."""
    store, empty = root / "etc/ssl/certs", root / "empty"
    store.mkdir(parents=True)
    empty.mkdir()
    (root / "ca-certificates.conf").touch()
    options = {
        "certsconf": root / "ca-certificates.conf", "certsdir": empty, "hooksdir": empty,
        "localcertsdir": root / CA_DIRECTORY.lstrip("/"), "etccertsdir": store,
    }  # fmt: skip
    argv = ["update-ca-certificates", *(word for name, path in options.items() for word in (f"--{name}", str(path)))]
    subprocess.run(argv, check=True, capture_output=True)
    return store / "ca-certificates.crt"


@contextmanager
def containerd(directory: Path) -> Iterator[Path]:
    """A containerd that only keeps content; yields its socket."""
    socket, config = directory / "containerd.sock", directory / "config.toml"
    config.write_text(
        f'version = 2\nroot = "{directory}/store"\nstate = "{directory}/state"\n'
        'disabled_plugins = ["io.containerd.grpc.v1.cri", "io.containerd.internal.v1.opt"]\n'
        f'[grpc]\naddress = "{socket}"\n[ttrpc]\naddress = "{socket}.ttrpc"\n'
    )
    argv = ["containerd", "--config", str(config)]
    with subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            yield socket
        finally:
            process.terminate()


def test_an_image_comes_from_a_mirror_that_only_the_sites_ca_vouches_for(
    tmp_path: Path, tls: LoopbackTls, mirror: RegistryServer
) -> None:
    root = live_root(tmp_path / "site", mirror.address, tls.ca.read_text())
    bundle = trust(root)
    assert tls.ca.read_text().strip() in bundle.read_text()
    with containerd(tmp_path) as socket:
        # The first call waits until the socket is there.
        ctr = ["ctr", "--address", str(socket), "--connect-timeout", "60s", "content", "fetch"]
        options = ["--hosts-dir", str(root / CERTS_D.lstrip("/")), "--user", f"{USER}:{PASSWORD}", IMAGE]
        fetched = subprocess.run([*ctr, *options], env={"PATH": "/usr/bin", "SSL_CERT_FILE": str(bundle)})
    assert fetched.returncode == 0
