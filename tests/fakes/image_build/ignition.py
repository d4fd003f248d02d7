"""The files of an Ignition config, as the first boot writes them."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Iterator


def written_files(config: bytes) -> Iterator[tuple[str, bytes, int]]:
    """Path, content and mode of each."""
    for file in json.loads(config)["storage"]["files"]:
        data = base64.b64decode(file["contents"]["source"].partition("base64,")[2])
        yield file["path"], gzip.decompress(data) if file["contents"].get("compression") else data, file["mode"]
