"""`systemd-analyze verify` on every unit, in a root made of the host's units, ours, and empty programs."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from tests.paths import REPOSITORY

Lint = Callable[[Sequence[str]], None]

UNITS = REPOSITORY / "units"
HOST_UNITS = Path("/usr/lib/systemd/system")
NEWER = re.compile(r"^RestartMode=.*\n", re.MULTILINE)  # systemd 254; the image has 257, Debian 12 has 252
KINDS = {".service", ".target", ".mount", ".path", ".timer", ".socket"}

OURS = sorted(path for path in UNITS.glob("*/*") if path.suffix in KINDS)


def _programs(text: str) -> Iterator[str]:
    yield from re.findall(r"^Exec\w+=[-@:+!]*(/\S+)", text, re.MULTILINE)


def _stub(unit: Path) -> str:
    """The least that a unit of ours may extend: others bring it (Debian's packages, the initramfs' generator)."""
    if unit.suffix == ".mount":
        return f"[Mount]\nWhat=tmpfs\nWhere=/{unit.stem.replace('-', '/')}\n"
    return "[Service]\nExecStart=/usr/bin/true\n"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("root")
    target = root / "usr/lib/systemd/system"
    shutil.copytree(HOST_UNITS, target, symlinks=True, ignore_dangling_symlinks=True)
    for path in UNITS.glob("*/*"):
        if path.suffix in KINDS:
            (target / path.name).write_text(NEWER.sub("", path.read_text()))
        elif path.is_dir():
            shutil.copytree(path, target / path.name, dirs_exist_ok=True)
            base = target / path.name.removesuffix(".d")
            if not base.exists():
                base.write_text(_stub(base))
    for path in target.glob("**/*"):
        if path.is_file():
            for program in _programs(path.read_text(errors="replace")):
                stub = root / program.lstrip("/")
                stub.parent.mkdir(parents=True, exist_ok=True)
                stub.touch(mode=0o755)
    return root


@pytest.mark.skipif(not HOST_UNITS.is_dir(), reason="no systemd units on this machine")
@pytest.mark.parametrize("unit", OURS, ids=lambda path: path.name)
def test_unit_is_valid(unit: Path, root: Path, lint: Lint) -> None:
    name = unit.name.replace("@.", "@tty1.")
    lint(["systemd-analyze", "verify", "--man=no", "--recursive-errors=no", f"--root={root}", name])
