"""`cluster0 create image` as a user runs it: the real program, a base ISO, the real xorriso to look inside."""

from __future__ import annotations

import json
import stat
import sys
from base64 import b64decode
from pathlib import Path

import pytest

from agent.model.problems import Problem
from ignition.validate import validate
from image_build.cache import Cache
from image_build.cluster_iso.find_base_iso import newest_base_iso
from inputs.samples import write_samples
from tests.fakes.image_build.base_iso import make_base_iso
from tests.fakes.image_build.created import create_image, digest, end, ignition_in, run

pytestmark = pytest.mark.integration

RESULTS = {"agent.x86_64.iso", "auth", "rendezvousIP"}


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    iso = tmp_path_factory.mktemp("base") / "base.iso"
    make_base_iso(iso)
    return iso


@pytest.fixture
def site(tmp_path: Path) -> Path:
    directory = tmp_path / "site"
    write_samples("sno", directory)
    return directory


def test_the_iso_holds_what_was_asked_for(site: Path, base: Path, tmp_path: Path) -> None:
    before = {path.name: path.read_bytes() for path in site.iterdir()}
    ended = run(site, base, "-o", "json")
    assert ended.returncode == 0, ended.stderr
    created = json.loads(ended.stdout)
    assert {path.name for path in site.iterdir()} == RESULTS | before.keys()
    assert {name: (site / name).read_bytes() for name in before} == before, "the inputs stay as they are"
    assert (site / "rendezvousIP").read_text() == "192.0.2.10\n"
    config = ignition_in(Path(created["iso"]), tmp_path)
    assert validate(config) == []
    assert "/etc/cluster0/cluster.json" in {file["path"] for file in json.loads(config)["storage"]["files"]}
    assert stat.S_IMODE((site / "agent.x86_64.iso").stat().st_mode) == 0o600
    assert f'set cluster0_id="{created["cluster_id"]}"'.encode() in (site / "agent.x86_64.iso").read_bytes()
    assert created["iso_size"] == base.stat().st_size


def test_create_image_works_on_the_real_base_iso(site: Path, tmp_path: Path) -> None:
    try:
        newest = newest_base_iso(Cache.of_user())
    except Problem:
        pytest.skip("no base ISO in the cache: run `make image`")
    ended = run(site, newest)
    assert ended.returncode == 0, ended.stderr
    assert validate(ignition_in(site / "agent.x86_64.iso", tmp_path)) == []


def test_create_image_makes_the_same_iso_again(site: Path, base: Path) -> None:
    assert run(site, base).returncode == 0
    first = digest(site / "agent.x86_64.iso")
    assert run(site, base).returncode == 0
    assert digest(site / "agent.x86_64.iso") == first
    assert run(site, base, "--force").returncode == 0
    assert digest(site / "agent.x86_64.iso") != first, "--force makes new secrets"


@pytest.mark.parametrize("topology", ["sno", "ha"])
def test_manifests_make_the_same_bytes_as_the_files(topology: str, base: Path, tmp_path: Path) -> None:
    """With the secrets of the first run, which are kept in auth/."""
    site = tmp_path / topology
    write_samples(topology, site)
    assert run(site, base).returncode == 0
    from_files = digest(site / "agent.x86_64.iso")
    ended = end([sys.executable, "-m", "cli", "create", "manifests", "--dir", str(site)])
    assert ended.returncode == 0, ended.stderr
    for name in ("install-config.yaml", "agent-config.yaml"):
        (site / name).unlink()
    before = {path: path.read_bytes() for path in (site / "cluster-manifests").iterdir()}
    assert run(site, base).returncode == 0
    assert digest(site / "agent.x86_64.iso") == from_files
    assert {path: path.read_bytes() for path in (site / "cluster-manifests").iterdir()} == before


def test_create_image_uses_edited_manifests(site: Path, base: Path, tmp_path: Path) -> None:
    assert end([sys.executable, "-m", "cli", "create", "manifests", "--dir", str(site)]).returncode == 0
    manifest = site / "cluster-manifests/infraenv.yaml"
    manifest.write_text(manifest.read_text() + "  additionalNTPSources: [192.0.2.77]\n")
    ended = run(site, base, "-o", "json")
    assert ended.returncode == 3
    assert [
        (finding["file"], finding["path"], finding["code"]) for finding in json.loads(ended.stdout)["findings"]
    ] == [(str(manifest), "spec.additionalNTPSources", "manifests-contradict-inputs")]
    for name in ("install-config.yaml", "agent-config.yaml"):
        (site / name).unlink()
    assert run(site, base).returncode == 0
    config = json.loads(ignition_in(site / "agent.x86_64.iso", tmp_path))
    sources = [file for file in config["storage"]["files"] if file["path"].endswith("cluster0.sources")]
    assert b64decode(sources[0]["contents"]["source"].partition(",")[2]) == b"server 192.0.2.77 iburst\n"


def test_another_cluster_is_not_overwritten(site: Path, base: Path) -> None:
    assert run(site, base).returncode == 0
    before = digest(site / "agent.x86_64.iso")
    config = site / "install-config.yaml"
    config.write_text(config.read_text().replace("name: site ", "name: other "))
    ended = run(site, base)
    assert (ended.returncode, ended.stdout) == (3, "")
    assert "auth-of-another-cluster" in ended.stderr
    assert digest(site / "agent.x86_64.iso") == before


def test_kernel_arguments_are_in_the_boot_menu(site: Path, base: Path) -> None:
    config = site / "agent-config.yaml"
    config.write_text(config.read_text() + "kernelArguments: [intel_iommu=on, quiet]\n")
    assert run(site, base).returncode == 0
    assert b'set extra_kargs="intel_iommu=on quiet"' in (site / "agent.x86_64.iso").read_bytes()


def test_a_base_iso_with_another_checksum_is_refused(site: Path, base: Path) -> None:
    ended = run(site, base, "--base-iso-sha256", "0" * 64)
    assert ended.returncode == 4
    assert "base-iso-checksum" in ended.stderr
    assert digest(base) in ended.stderr
    assert not RESULTS & {path.name for path in site.iterdir()}
    ended = run(site, base, "--base-iso-sha256", digest(base).upper())
    assert ended.returncode == 0
    for word in ("agent.x86_64.iso", "dd if=", f"cluster0 wait-for install-complete --dir {site}", "auth/kubeconfig"):
        assert word in ended.stderr, "it says what it made, how to write it to a stick, and what to do next"


def test_create_image_prints_next_commands_that_work(site: Path, base: Path, tmp_path: Path) -> None:
    spaced = site.rename(tmp_path / "my site")
    ended = run(spaced, base)
    assert f"dd if='{spaced}/agent.x86_64.iso' of=/dev/STICK" in ended.stderr
    assert f"cluster0 wait-for install-complete --dir '{spaced}'\n" in ended.stderr


def test_a_base_iso_of_another_release_is_refused(site: Path, base: Path) -> None:
    config = site / "install-config.yaml"
    config.write_text(config.read_text() + "kubernetes: {version: 1.33.2, networkPlugin: flannel}\n")
    ended = run(site, base, "-o", "json")
    assert ended.returncode == 3
    found = [(finding["path"], finding["code"]) for finding in json.loads(ended.stdout)["findings"]]
    assert found == [
        ("kubernetes.version", "version-not-in-base-iso"),
        ("kubernetes.networkPlugin", "network-plugin-not-in-base-iso"),
    ]
    assert not RESULTS & {path.name for path in site.iterdir()}


def test_other_token_lifetimes_need_other_tokens(site: Path, base: Path) -> None:
    assert run(site, base).returncode == 0
    config = site / "agent-config.yaml"
    config.write_text(config.read_text() + "tokenLifetimeDays: 3\n")
    ended = run(site, base)
    assert ended.returncode == 3
    assert "tokens for 3 days" in ended.stderr
    assert run(site, base, "--force").returncode == 0


def test_nothing_is_written_when_the_inputs_are_wrong(site: Path, base: Path) -> None:
    config = site / "agent-config.yaml"
    config.write_text(config.read_text().replace("52:54:00:00:00:01", "52:54:00"))
    before = {path.name for path in site.iterdir()}
    ended = run(site, base)
    assert ended.returncode == 3
    assert f"{config}:18:21: error: hosts[0].interfaces[0].macAddress" in ended.stderr
    assert {path.name for path in site.iterdir()} == before


def test_without_a_place_for_the_other_results_there_is_no_iso(site: Path, base: Path) -> None:
    (site / "rendezvousIP").mkdir()
    ended = run(site, base)
    assert ended.returncode == 4
    assert "rendezvousIP cannot be written: Is a directory. [output-not-writable]" in ended.stderr
    assert "Removed again: agent.x86_64.iso." in ended.stderr
    assert not (site / "agent.x86_64.iso").exists()
    (site / "rendezvousIP").rmdir()
    assert run(site, base).returncode == 0, "what is in auth/ is whole"


def test_a_damaged_base_iso_leaves_no_results(site: Path, base: Path, tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.iso"
    damaged.write_bytes(base.read_bytes()[: base.stat().st_size // 2])
    ended = run(site, damaged)
    assert ended.returncode == 4
    assert "base-iso-damaged" in ended.stderr
    assert not RESULTS & {path.name for path in site.iterdir()}


def test_an_embed_area_that_is_too_small_is_refused(site: Path, tmp_path: Path) -> None:
    small = tmp_path / "small.iso"
    make_base_iso(small, embed_area=2048)
    ended = run(site, small, "-o", "json")
    assert ended.returncode == 3
    assert json.loads(ended.stdout)["error"]["code"] == "embed-area-too-small"
    assert not RESULTS & {path.name for path in site.iterdir()}


def test_create_image_without_a_base_iso_names_how_to_get_one(site: Path, tmp_path: Path) -> None:
    ended = end(create_image(site), CLUSTER0_CACHE=str(tmp_path), CLUSTER0_BASE_ISO="")
    assert ended.returncode == 4
    assert "base-iso-missing" in ended.stderr
    assert "cluster0 image build" in ended.stderr


def test_a_full_disk_is_reported_before_copying(site: Path, base: Path, tmp_path: Path) -> None:
    """A file system of 128 KiB, in a mount namespace of its own."""
    small = tmp_path / "small"
    small.mkdir()
    script = 'mount -t tmpfs -o size=128k none "$1" && cp "$2"/*.yaml "$1" && exec "${@:3}"'
    inside = ["unshare", "--mount", "bash", "-c", script, "bash", str(small), str(site)]
    ended = end([*inside, *create_image(small, "--base-iso", str(base))])
    if "unshare" in ended.stderr:
        pytest.skip("needs root for a mount namespace")
    assert ended.returncode == 4
    assert "no-space" in ended.stderr
