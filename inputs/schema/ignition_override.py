"""The field type of the user's Ignition configs: what Debian's Ignition supports without a network.

These checks need no program; the rule `ignition_overrides` runs `ignition-validate` as well.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Annotated, Any

from pydantic import AfterValidator

from inputs.schema.values import invalid_value

_VERSION = re.compile(r"3\.[0-3]\.0")
_CODE = "ignition-override-invalid"
# Debian's Ignition does not support these, and cluster0 partitions the disk itself.
_NOT_HERE = (
    ("kernelArguments",), ("storage", "disks"), ("storage", "raid"), ("storage", "filesystems"), ("storage", "luks"),
    ("ignition", "config"), ("ignition", "proxy"), ("ignition", "security"),
)  # fmt: skip
# The host's identity and its access to node0.
_OURS = ("/etc/cluster0/", "/etc/kubernetes/", "/run/", "/proc/", "/sys/", "/dev/")


def _ignition_override(value: str) -> str:
    if not value:
        return value
    document = _document(value)
    header = document.get("ignition")
    version = header.get("version") if isinstance(header, dict) else None
    if not isinstance(version, str) or not _VERSION.fullmatch(version):
        raise invalid_value(
            _CODE, "It has no `ignition.version` from 3.0.0 to 3.3.0.", "Write the version of its specification."
        )
    for field in _NOT_HERE:
        if _at(document, field):
            rule = f"`{'.'.join(field)}` is not supported on a host of cluster0."
            raise invalid_value(_CODE, rule, "Remove it; kernelArguments has a field of its own.")
    for path, source in _places(document):
        _check_place(path, source)
    return value


def _document(value: str) -> dict[str, Any]:
    remedy = "Paste an Ignition config, specification 3, as one block of text."
    try:
        document = json.loads(value)
    except (ValueError, RecursionError) as error:
        # Not the JSON error's own text: it would quote the config, which may hold secrets.
        where = f" at its line {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        raise invalid_value(_CODE, f"Not JSON{where}.", remedy) from None
    if not isinstance(document, dict):
        raise invalid_value(_CODE, "The JSON is not an object.", remedy)
    return document


def _check_place(path: str, source: str) -> None:
    if path.startswith(_OURS):
        raise invalid_value(_CODE, f"{path} is reserved for cluster0.", "Choose another path.")
    if source and not source.startswith("data:"):
        rule = f"{path} is to be fetched, but a host may have no network when Ignition runs."
        raise invalid_value(_CODE, rule, "Write its content as a data URL (RFC 2397).")


def _places(document: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Path and source of every well-formed file, directory and link; `ignition-validate` reports the others."""
    storage = document.get("storage")
    for kind in ("files", "directories", "links"):
        entries = storage.get(kind) if isinstance(storage, dict) else None
        for entry in entries if isinstance(entries, list) else ():
            path = entry.get("path") if isinstance(entry, dict) else None
            if isinstance(path, str):
                yield from ((path, source) for source in (_sources(entry) or [""]))


def _sources(entry: dict[str, Any]) -> list[str]:
    appended = entry.get("append")
    contents = [entry.get("contents"), *(appended if isinstance(appended, list) else ())]
    found = (content.get("source") for content in contents if isinstance(content, dict))
    return [source for source in found if isinstance(source, str)]


def _at(document: Any, path: tuple[str, ...]) -> Any:
    for step in path:
        document = document.get(step) if isinstance(document, dict) else None
    return document


IgnitionOverride = Annotated[str, AfterValidator(_ignition_override)]
