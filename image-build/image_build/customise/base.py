"""Which base ISO to customise when the user names none."""

from __future__ import annotations

from pathlib import Path

from agent.api.problems import Problem
from image_build.cache import Cache


def newest_base_iso(cache: Cache) -> Path:
    """The newest in `base-iso/` of the cache. Problem: `base-iso-missing`."""
    where = cache.root / "base-iso"
    built = sorted(where.glob("*.iso"), key=lambda path: path.stat().st_mtime)
    if not built:
        raise Problem(
            code="base-iso-missing",
            title=f"There is no base ISO: none was named, and none is in {where}.",
            remedy="Build one with `sudo cluster0 image build`; or name one with --base-iso.",
        )
    return built[-1]
