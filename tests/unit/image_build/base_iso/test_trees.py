"""Directory trees that share their files with a cached tree by hard links."""

from __future__ import annotations

from pathlib import Path

from cli.command import Commands
from image_build.base_iso.trees import lay_over, linked_copy, put_text
from image_build.reproducible import tree_hash


def test_files_over_a_linked_copy_leave_the_original(tmp_path: Path) -> None:
    cached, overlay = tmp_path / "cached", tmp_path / "overlay"
    put_text("Debian's", cached / "etc/hosts")
    put_text("ours", overlay / "etc/hosts")
    copy = linked_copy(cached, tmp_path / "copy", Commands(tmp_path / "log"))
    assert (copy / "etc/hosts").stat().st_nlink == 2
    lay_over(overlay, copy)
    assert (copy / "etc/hosts").read_text() == "ours"
    assert (cached / "etc/hosts").read_text() == "Debian's"


def test_the_hash_sees_names_contents_modes_and_links(tmp_path: Path) -> None:
    root = tmp_path / "root"
    put_text("x", root / "a")
    seen = {tree_hash(root)}
    put_text("y", root / "a")
    seen.add(tree_hash(root))
    (root / "a").chmod(0o755)
    seen.add(tree_hash(root))
    (root / "b").symlink_to("a")
    seen.add(tree_hash(root))
    (root / "a").rename(root / "c")
    seen.add(tree_hash(root))
    assert len(seen) == 5
