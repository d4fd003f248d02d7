"""The user's choices for a base ISO, and the directories of its ingredients."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from image_build.ingredients import ingredients

INGREDIENTS = ingredients("image-build/iso")
UNITS = ingredients("units")

DEFAULT_SUITE = "trixie"
DEFAULT_EMBED_AREA = 4 << 20


@dataclass(frozen=True)
class Recipe:
    """One base ISO.

    mirrors: apt sources as mmdebstrap takes them (an address or a `deb …` line); none: its default.
    embed_area: bytes for the compressed Ignition config.
    compress_small: for size (minutes) instead of speed (seconds).
    """

    payload: Path
    suite: str = DEFAULT_SUITE
    mirrors: tuple[str, ...] = ()
    firmware: bool = False
    compress_small: bool = False
    embed_area: int = DEFAULT_EMBED_AREA

    @property
    def package_lists(self) -> tuple[Path, ...]:
        lists = INGREDIENTS / "packages"
        return (lists / "base.list", lists / "firmware.list") if self.firmware else (lists / "base.list",)

    @property
    def components(self) -> str:
        return "main,non-free-firmware" if self.firmware else "main"
