"""The package lists of the Debian root: their format, and which lists a recipe takes."""

from __future__ import annotations

from pathlib import Path

from image_build.base_iso.debian_root import package_names
from image_build.base_iso.recipe import Recipe


def test_comments_and_blank_lines_are_no_packages(tmp_path: Path) -> None:
    (tmp_path / "a.list").write_text("# a comment\n\nkexec-tools   # another comment\nmdadm\n")
    assert package_names((tmp_path / "a.list",)) == ["kexec-tools", "mdadm"]


def test_firmware_is_another_list_and_component(tmp_path: Path) -> None:
    plain, with_firmware = Recipe(payload=tmp_path), Recipe(payload=tmp_path, firmware=True)
    assert "intel-microcode" not in package_names(plain.package_lists)
    assert "intel-microcode" in package_names(with_firmware.package_lists)
    assert "non-free-firmware" in with_firmware.components
