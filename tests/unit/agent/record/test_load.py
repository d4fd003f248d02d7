"""Files that are read as recorded machines: bounded, and with a remedy where they are none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from agent.model.problems import Problem
from agent.record.load import MAX_BYTES, load
from replay.recorded import DIRECTORY

MACHINE = DIRECTORY / "edge-box.json"


def written(directory: Path, content: object) -> Path:
    path = directory / "machine.json"
    path.write_bytes(content if isinstance(content, bytes) else msgspec.json.encode(content))
    return path


def changed(**inventory: object) -> dict[str, Any]:
    """The recorded machine with another inventory."""
    machine: dict[str, Any] = msgspec.json.decode(MACHINE.read_bytes())
    return {**machine, "inventory": {**machine["inventory"], **inventory}}


def problem(path: Path) -> Problem:
    with pytest.raises(Problem) as caught:
        load(path)
    assert caught.value.remedy
    return caught.value


def test_a_record_of_an_earlier_release_is_read() -> None:
    found = load(MACHINE)
    assert found.inventory.cpu.count > 0
    assert (found.network, found.contents, found.peers, found.connectivity) == (None, None, (), None)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "truncated"),
        (b"not JSON", "malformed"),
        (b"\xff\xfe\x00", ""),
        (b"[" * 100_000, ""),
        (b" " * (MAX_BYTES + 1), "more than 8 MiB"),
        ({"schema": 1, "cluster_id": "a"}, "recorded_at"),
        (changed(disks=[{"id": "a"}]), "$.inventory.disks"),
        (
            changed(interfaces=[{"name": f"eth{n}"} for n in range(1025)]),
            "array` of length <= 1024 - at `$.inventory.interfaces`",
        ),
        (
            changed(interfaces=[{"name": "eth0", "ipv4_addresses": ["192.0.2.1/24"] * 200}] * 6 + [{"name": "eth1"}]),
            "1200 addresses, more than 512",
        ),
    ],
)
def test_another_file_is_refused_with_the_reason(tmp_path: Path, content: object, words: str) -> None:
    found = problem(written(tmp_path, content))
    assert found.code == "record-invalid"
    assert words in found.title
    assert "cluster0-agent --record" in found.remedy


def test_a_record_of_a_later_release_is_refused(tmp_path: Path) -> None:
    assert problem(written(tmp_path, {"schema": 2, "unknown": True})).code == "record-too-new"


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    found = problem(tmp_path)
    assert found.code == "record-unreadable"
    assert str(tmp_path) in found.title
