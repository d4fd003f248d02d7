"""Installs `units/` by the rule that `units/README.md` states: where a file lies says where it goes."""

from __future__ import annotations

from pathlib import Path

from image_build.base_iso.trees import put

_SYSTEM = Path("usr/lib/systemd/system")
_PLACES = {
    "presets/*.preset": Path("usr/lib/systemd/system-preset"),
    "tmpfiles/*.conf": Path("usr/lib/tmpfiles.d"),
    "*/*.service": _SYSTEM,
    "*/*.socket": _SYSTEM,
    "*/*.target": _SYSTEM,
    "*/*.mount": _SYSTEM,
    "*/*.path": _SYSTEM,
    "*/*.timer": _SYSTEM,
}
_DROP_INS = "*/*.d/*.conf"


def destinations(units: Path) -> dict[Path, Path]:
    """Every file to install below `units`, with its place in the root file system (relative)."""
    placed = {source: place / source.name for pattern, place in _PLACES.items() for source in units.glob(pattern)}
    placed |= {source: _SYSTEM / source.parent.name / source.name for source in units.glob(_DROP_INS)}
    return dict(sorted(placed.items()))


def install_units(units: Path, root: Path) -> None:
    for source, place in destinations(units).items():
        put(source, root / place)
