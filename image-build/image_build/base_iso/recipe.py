"""What the user may choose about a base ISO, and where the ingredients are that come with the project."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from image_build.ingredients import ingredients

INGREDIENTS = ingredients("image-build/iso")
UNITS = ingredients("units")

DEFAULT_SUITE = "trixie"
DEFAULT_EMBED_AREA = 4 << 20
_DEFAULT_EPOCH = 1754697600
"""2025-08-09, the day Debian 13 was released. Any constant would do: it only has to be the same in every build."""


@dataclass(frozen=True)
class Recipe:
    """One base ISO.

    mirrors: apt sources as mmdebstrap takes them (an address or a `deb …` line); none: its own default for the suite.
    embed_area: bytes for the compressed Ignition config.
    release: compress as well as it gets (minutes), rather than as fast as it gets (seconds).
    """

    payload: Path
    suite: str = DEFAULT_SUITE
    mirrors: tuple[str, ...] = ()
    firmware: bool = False
    release: bool = False
    embed_area: int = DEFAULT_EMBED_AREA

    @property
    def package_lists(self) -> tuple[Path, ...]:
        lists = INGREDIENTS / "packages"
        return (lists / "base.list", lists / "firmware.list") if self.firmware else (lists / "base.list",)

    @property
    def components(self) -> str:
        return "main,non-free-firmware" if self.firmware else "main"


def source_date_epoch() -> int:
    """The latest time stamp in anything we build, seconds since 1970: `SOURCE_DATE_EPOCH`, or a constant.

    https://reproducible-builds.org/specs/source-date-epoch/
    """
    return int(os.environ.get("SOURCE_DATE_EPOCH") or _DEFAULT_EPOCH)
