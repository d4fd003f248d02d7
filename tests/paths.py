"""Where the checkout's folders are, wherever a test stands."""

from __future__ import annotations

from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
DATA = REPOSITORY / "tests/data"
