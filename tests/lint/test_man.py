"""Manual pages build, one a command, and mandoc finds nothing wrong with them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from cli.command_tree import every_command
from cli.main import main

Lint = Callable[[Sequence[str]], None]


def test_manual_pages(lint: Lint, tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    subprocess.run([sys.executable, "-m", "image_build.man", tmp_path], env=environment, check=True)
    pages = {path.stem for path in tmp_path.iterdir()}
    assert pages == {context.command_path.replace(" ", "-") for context in every_command(main, "cluster0")}
    lint(["mandoc", "-T", "lint", "-W", "warning", *(str(path) for path in sorted(tmp_path.iterdir()))])
