"""The destination of each file in `units/`."""

from __future__ import annotations

from pathlib import Path

from image_build.base_iso.recipe import UNITS
from image_build.base_iso.root_image import install_units, unit_destinations


def test_places_of_units(tmp_path: Path) -> None:
    expected = {
        "base/a.service": "usr/lib/systemd/system/a.service",
        "node0/b.target": "usr/lib/systemd/system/b.target",
        "base/ssh.service.d/10-x.conf": "usr/lib/systemd/system/ssh.service.d/10-x.conf",
        "presets/80-x.preset": "usr/lib/systemd/system-preset/80-x.preset",
        "tmpfiles/x.conf": "usr/lib/tmpfiles.d/x.conf",
    }
    for name in (*expected, "README.md", "base/README.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    found = {str(source.relative_to(tmp_path)): str(place) for source, place in unit_destinations(tmp_path).items()}
    assert found == expected


def test_every_unit_has_a_place() -> None:
    everything = {path for path in UNITS.rglob("*") if path.is_file() and path.suffix != ".md"}
    assert set(unit_destinations(UNITS)) == everything


def test_modes_of_installed_units_do_not_depend_on_the_checkout(tmp_path: Path) -> None:
    (tmp_path / "units/base").mkdir(parents=True)
    unit = tmp_path / "units/base/a.service"
    unit.touch(mode=0o600)
    install_units(tmp_path / "units", tmp_path / "root")
    assert (tmp_path / "root/usr/lib/systemd/system/a.service").stat().st_mode & 0o777 == 0o644
