"""A cluster's ISO made from a base ISO of the real xorriso: what differs, what is refused, and what is left behind."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from agent.model.problems import Problem
from image_build.cluster_iso import embed
from image_build.cluster_iso.copy_ahead import copying_ahead
from image_build.iso_format.kargs import BootVariable
from image_build.iso_format.reader import read_base_iso
from tests.fakes.image_build.base_iso import make_base_iso

pytestmark = pytest.mark.integration

CONFIG = b'{"ignition": {"version": "3.3.0"}}'
BOOT = {BootVariable.CLUSTER_ID: "5f2c0000-0000-4000-8000-000000000001", BootVariable.EXTRA_KARGS: "cluster0.shell"}


@pytest.fixture
def base(tmp_path: Path) -> Path:
    make_base_iso(tmp_path / "base.iso")
    return tmp_path / "base.iso"


def customise(base: Path, output: Path, ignition_json: bytes, boot: Mapping[BootVariable, str]) -> None:
    """As `create image` does."""
    with copying_ahead(base, output) as copy:
        embed.customise(copy, read_base_iso(base), ignition_json, boot)


def extract(iso: Path, inside: str) -> bytes:
    """A file of the ISO as another program reads it."""
    target = iso.with_suffix(".extracted")
    target.unlink(missing_ok=True)
    argv = ["xorriso", "-osirrox", "on", "-indev", str(iso), "-extract", f"/{inside}", str(target)]
    subprocess.run(argv, check=True, capture_output=True)
    return target.read_bytes()


def test_cpio_unpacks_the_embedded_config(base: Path, tmp_path: Path) -> None:
    customise(base, tmp_path / "out.iso", CONFIG, BOOT)
    area = extract(tmp_path / "out.iso", "images/ignition.img")
    assert len(area) == 1 << 20
    archive = subprocess.run(["gzip", "-dcq"], input=area, capture_output=True).stdout  # warns of the zeros that follow
    subprocess.run(["cpio", "--extract", "--make-directories", "--quiet"], input=archive, cwd=tmp_path, check=True)
    assert (tmp_path / "usr/lib/ignition/user.ign").read_bytes() == CONFIG


def test_the_boot_menu_gets_its_variables(base: Path, tmp_path: Path) -> None:
    customise(base, tmp_path / "out.iso", CONFIG, BOOT)
    assert extract(tmp_path / "out.iso", "boot/grub/kargs.cfg").startswith(
        b'set cluster0_id="5f2c0000-0000-4000-8000-000000000001"\nset extra_kargs="cluster0.shell"\n\n'
    )


def test_an_embedded_iso_differs_only_in_the_two_areas(base: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.iso"
    customise(base, out, CONFIG, BOOT)
    image = read_base_iso(base)
    before, after = base.read_bytes(), bytearray(out.read_bytes())
    for extent in (image.ignition, image.kargs):
        after[extent.offset : extent.offset + extent.size] = before[extent.offset : extent.offset + extent.size]
    assert bytes(after) == before


def test_embedding_the_same_inputs_gives_the_same_iso(base: Path, tmp_path: Path) -> None:
    first, second = tmp_path / "first.iso", tmp_path / "second.iso"
    customise(base, first, CONFIG, BOOT)
    customise(first, second, b"{}", {})
    customise(second, first, CONFIG, BOOT)  # over an existing file, from an ISO that was customised before
    customise(base, second, CONFIG, BOOT)
    assert first.read_bytes() == second.read_bytes()


def test_secrets_are_readable_by_the_owner_only(base: Path, tmp_path: Path) -> None:
    customise(base, tmp_path / "out.iso", CONFIG, BOOT)
    assert (tmp_path / "out.iso").stat().st_mode & 0o777 == 0o600


def test_a_config_that_does_not_fit_is_refused_after_compression(base: Path, tmp_path: Path) -> None:
    customise(base, tmp_path / "out.iso", b" " * (8 << 20), BOOT)
    with pytest.raises(Problem, match="embed-area-too-small") as caught:
        customise(base, tmp_path / "large.iso", os.urandom(1 << 20), BOOT)
    assert "room for 1048576" in caught.value.title
    assert not (tmp_path / "large.iso").exists()


@pytest.mark.parametrize("kept", [0, 100, 40_000, -2048])
def test_a_cut_off_base_is_refused(base: Path, tmp_path: Path, kept: int) -> None:
    damaged = tmp_path / "damaged.iso"
    damaged.write_bytes(base.read_bytes()[:kept])
    with pytest.raises(Problem, match="base-iso-damaged"):
        customise(damaged, tmp_path / "out.iso", CONFIG, BOOT)
    assert not (tmp_path / "out.iso").exists()


def test_an_iso_that_is_not_ours_is_refused(tmp_path: Path) -> None:
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree/readme").write_text("another product")
    foreign = tmp_path / "foreign.iso"
    subprocess.run(["xorriso", "-as", "mkisofs", "-quiet", "-o", str(foreign), str(tmp_path / "tree")], check=True)
    with pytest.raises(Problem, match=r"base-iso-damaged.*\n.*cluster0\.json"):
        read_base_iso(foreign)


def test_embedding_into_a_missing_base_iso_is_a_problem(tmp_path: Path) -> None:
    with pytest.raises(Problem, match="base-iso-missing"):
        read_base_iso(tmp_path / "nothing.iso")


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of one megabyte."""
    if os.geteuid() != 0:
        pytest.skip("mounting needs root")
    mounted = tmp_path / "small"
    mounted.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(mounted)], check=True)
    yield mounted
    subprocess.run(["umount", str(mounted)], check=True)


def test_embedding_on_a_full_disk_leaves_no_file(base: Path, small_disk: Path) -> None:
    with pytest.raises(Problem, match="no-space") as caught:
        customise(base, small_disk / "out.iso", CONFIG, BOOT)
    assert str(small_disk) in caught.value.title
    assert list(small_disk.iterdir()) == []


def test_a_failed_copy_keeps_the_previous_iso(base: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.iso"
    customise(base, out, CONFIG, BOOT)
    before = out.read_bytes()
    with pytest.raises(Problem, match="embed-area-too-small"):
        customise(base, out, os.urandom(2 << 20), BOOT)
    assert out.read_bytes() == before
    assert [path.name for path in tmp_path.glob("*out.iso*")] == ["out.iso"]


def test_embedding_into_a_missing_directory_is_a_problem(base: Path, tmp_path: Path) -> None:
    with pytest.raises(Problem, match="output-not-writable"):
        customise(base, tmp_path / "nowhere/out.iso", CONFIG, BOOT)


def test_a_directory_in_place_of_the_iso_is_a_problem(base: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.iso"
    out.mkdir()
    with pytest.raises(Problem, match="output-not-writable") as caught:
        customise(base, out, CONFIG, BOOT)
    assert "Move the directory away" in caught.value.remedy


def test_an_interrupted_copy_leaves_the_previous_iso(base: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.iso"
    out.write_text("an earlier ISO")
    before = set(tmp_path.iterdir())
    with pytest.raises(KeyboardInterrupt), copying_ahead(base, out):
        raise KeyboardInterrupt
    assert (out.read_text(), set(tmp_path.iterdir())) == ("an earlier ISO", before)


def test_an_error_during_the_copy_is_raised_unchanged(base: Path, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), copying_ahead(base, tmp_path / "out.iso"):
        (tmp_path / "an input").read_bytes()
    assert not list(tmp_path.glob(".out.iso*"))
