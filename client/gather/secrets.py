"""The secrets that this directory's image was made with: what to look for by its very text."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from cli.cluster_directory import AUTH, SECRETS


def known_secrets(directory: Path) -> list[bytes]:
    """Tokens, and every line of every private key; none when `secrets.json` is not there any more."""
    try:
        document = msgspec.json.decode((directory / AUTH / SECRETS).read_bytes())
    except (OSError, msgspec.DecodeError):
        return []
    return [word.encode() for text in _texts("", document) for word in text.split()]


def _texts(name: str, value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _texts(key, item)
    elif isinstance(value, str) and (name.endswith("_token") or "PRIVATE KEY" in value):
        yield value
