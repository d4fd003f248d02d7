"""`create pxe-files` and `create image --minimal` by the real command: what is served, loaded, left out."""

from __future__ import annotations

import json
import stat
import subprocess
import zlib
from pathlib import Path

import pytest

from ignition.validate import validate
from inputs.samples import write_samples
from tests.fakes.image_build.base_iso import make_base_iso
from tests.fakes.image_build.created import digest, extracted, run, unpack

pytestmark = pytest.mark.integration

URL = "http://192.0.2.1:8080/site"
LIVE_SIZE = 1 << 16
SERVED = {
    "agent.x86_64-vmlinuz": "vmlinuz", "agent.x86_64-initrd.img": "initrd.img", "agent.x86_64-rootfs.img": "rootfs.img",
}  # fmt: skip
ORDER = ("--base-url", URL)


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    iso = tmp_path_factory.mktemp("base") / "base.iso"
    make_base_iso(iso, live_size=LIVE_SIZE)
    return iso


@pytest.fixture
def site(tmp_path: Path) -> Path:
    directory = tmp_path / "site"
    write_samples("sno", directory)
    return directory


def tree(base: Path) -> Path:
    """What the base ISO was made from."""
    return base.with_suffix(".tree")


def configuration(second: bytes, into: Path) -> Path:
    """The cluster's part of the second initramfs, unpacked; the base ISO's part comes first."""
    assert second[:LIVE_SIZE].startswith(b"network.img")
    return unpack(zlib.decompressobj(wbits=31).decompress(second[LIVE_SIZE:]), into)


def check_configuration(unpacked: Path, base: Path) -> None:
    """Both Ignition configs; every file with its address and checksum; a network by MAC."""
    live, medium = (
        (unpacked / path).read_bytes()
        for path in ("usr/lib/ignition/user.ign", "usr/lib/cluster0/medium/ignition/user.ign")
    )
    assert validate(live) == []
    assert validate(medium) == []
    fetched = {
        file["path"]: (file["contents"]["source"], file["contents"]["verification"]["hash"])
        for file in json.loads(medium)["storage"]["files"]
        if "verification" in file["contents"]
    }
    assert fetched == {
        f"/live/{name}": (f"{URL}/{served}", f"sha256-{digest(tree(base) / 'live' / name)}")
        for served, name in SERVED.items()
    }
    network = unpacked / "usr/lib/cluster0/medium/network/52:54:00:00:00:01/10-eth0.network"
    assert "Address=192.0.2.10/24" in network.read_text()


def test_create_pxe_files_writes_kernel_initrd_rootfs_and_script(site: Path, base: Path, tmp_path: Path) -> None:
    inputs = {path.name: path.read_bytes() for path in site.iterdir()}
    ended = run(site, base, *ORDER, "-o", "json", what="pxe-files")
    assert ended.returncode == 0, ended.stderr
    created = json.loads(ended.stdout)
    artifacts = site / "boot-artifacts"
    assert {path.name for path in artifacts.iterdir()} == SERVED.keys() | {
        "agent.x86_64-ignition.img", "agent.x86_64.ipxe",
    }  # fmt: skip
    for served, name in SERVED.items():
        assert (artifacts / served).read_bytes() == (tree(base) / "live" / name).read_bytes()
    assert stat.S_IMODE(Path(created["secret"]).stat().st_mode) == 0o600
    check_configuration(configuration(Path(created["secret"]).read_bytes(), tmp_path / "unpacked"), base)
    assert {name: (site / name).read_bytes() for name in inputs} == inputs, "the inputs stay as they are"
    assert (site / "rendezvousIP").read_text() == "192.0.2.10\n"
    assert (site / "auth/kubeconfig").exists()


def test_the_script_starts_what_is_served(site: Path, base: Path) -> None:
    config = site / "agent-config.yaml"
    config.write_text(config.read_text() + f"kernelArguments: [intel_iommu=on]\nbootArtifactsBaseURL: {URL}/\n")
    ended = run(site, base, what="pxe-files")
    assert ended.returncode == 0, ended.stderr
    shebang, *lines = (site / "boot-artifacts/agent.x86_64.ipxe").read_text().splitlines()
    assert shebang == "#!ipxe"
    address, kernel, *archives, boot = (line for line in lines if not line.startswith("#"))
    assert address == f"set base {URL}"
    assert kernel.startswith("kernel ${base}/agent.x86_64-vmlinuz initrd=agent.x86_64-initrd.img ")
    assert {"cluster0.medium=network", "ignition.firstboot=1", "intel_iommu=on", "${again}"} <= set(kernel.split())
    assert "#set again cluster0.install=WORD" in lines
    assert archives == ["initrd ${base}/agent.x86_64-initrd.img", "initrd ${base}/agent.x86_64-ignition.img"]
    assert boot == "boot"
    for word in (
        f"Serve these files below {URL}",
        "keys",
        "goes on from its disk",
        "cluster0 wait-for install-complete",
    ):
        assert word in ended.stderr


def test_create_image_minimal_leaves_out_the_root_image(site: Path, base: Path, tmp_path: Path) -> None:
    ended = run(site, base, *ORDER, "--minimal", "-o", "json")
    assert ended.returncode == 0, ended.stderr
    created = json.loads(ended.stdout)
    iso = Path(created["iso"])
    listed = subprocess.run(
        ["xorriso", "-indev", str(iso), "-find", "/live"], capture_output=True, text=True, check=True
    )
    assert set(listed.stdout.split()) == {"'/live'", "'/live/initrd.img'", "'/live/vmlinuz'"}
    check_configuration(configuration(extracted(iso, "images/ignition.img", tmp_path), tmp_path / "unpacked"), base)
    menu = extracted(iso, "boot/grub/kargs.cfg", tmp_path).decode()
    assert f'set cluster0_id="{created["cluster_id"]}"' in menu
    assert 'set extra_kargs="cluster0.medium=network"' in menu
    assert {Path(name).name for name in created["served"]} == SERVED.keys(), "nothing that is served holds a secret"
    assert {path.name for path in (site / "boot-artifacts").iterdir()} == SERVED.keys()
    assert stat.S_IMODE(iso.stat().st_mode) == 0o600


def test_create_pxe_files_makes_the_same_files_again(site: Path, base: Path) -> None:
    def make() -> dict[str, str]:
        assert run(site, base, *ORDER, what="pxe-files").returncode == 0
        assert run(site, base, *ORDER, "--minimal").returncode == 0
        return {path.name: digest(path) for path in (*(site / "boot-artifacts").iterdir(), site / "agent.x86_64.iso")}

    assert make() == make()


@pytest.mark.parametrize("what", [("image", "--minimal"), ("pxe-files",)])
def test_without_a_boot_url_no_pxe_file_is_written(what: tuple[str, ...], site: Path, base: Path) -> None:
    before = set(site.iterdir())
    ended = run(site, base, *what[1:], what=what[0])
    assert ended.returncode == 3
    assert "base-url-missing" in ended.stderr
    assert "bootArtifactsBaseURL" in ended.stderr
    assert set(site.iterdir()) == before


@pytest.mark.parametrize("url", ["192.0.2.1/site", "http://192.0.2.1/${net0/mac}", "http://192.0.2.1/a b"])
def test_a_boot_url_that_ipxe_would_change_is_refused(url: str, site: Path, base: Path) -> None:
    ended = run(site, base, "--base-url", url, what="pxe-files")
    assert ended.returncode == 3
    assert "base-url-invalid" in ended.stderr
    assert not (site / "boot-artifacts").exists()


def test_another_cluster_is_not_overwritten(site: Path, base: Path) -> None:
    assert run(site, base, *ORDER, what="pxe-files").returncode == 0
    before = digest(site / "boot-artifacts/agent.x86_64-ignition.img")
    config = site / "install-config.yaml"
    config.write_text(config.read_text().replace("name: site ", "name: other "))
    ended = run(site, base, *ORDER, what="pxe-files")
    assert ended.returncode == 3
    assert "auth-of-another-cluster" in ended.stderr
    assert digest(site / "boot-artifacts/agent.x86_64-ignition.img") == before
