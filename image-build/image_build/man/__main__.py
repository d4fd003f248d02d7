"""`python -m image_build.man DIR`: write every page into DIR, as `cluster0-create-image.1`."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from cli.command_tree import every_command
from cli.main import main
from image_build.man.page import page
from image_build.reproducible import source_date_epoch

directory = Path(sys.argv[1])
directory.mkdir(parents=True, exist_ok=True)
made_at = datetime.fromtimestamp(source_date_epoch(), UTC)
for context in every_command(main, "cluster0"):
    text = page(context, version=version("cluster0"), date=f"{made_at:%Y-%m-%d}")
    (directory / f"{context.command_path.replace(' ', '-')}.1").write_text(text)
