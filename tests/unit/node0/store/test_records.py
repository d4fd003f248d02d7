"""The types of which records consist."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from msgspec.inspect import StructType, type_info

from agent.api.checks import ImageStatus
from agent.model.inventory import Disk
from node0.store.records import HostRecord


def struct_types(kind: type[msgspec.Struct]) -> set[type[msgspec.Struct]]:
    """`kind`, and every struct that a value of it may hold."""
    found: set[type[msgspec.Struct]] = set()
    waiting: list[object] = [type_info(kind)]
    while waiting:
        info = waiting.pop()
        if isinstance(info, StructType):
            if info.cls in found:
                continue
            found.add(info.cls)
        waiting += parts(info)
    return found


def parts(info: object) -> Iterator[object]:
    """What a description of a type refers to."""
    if isinstance(info, tuple):
        yield from info
    elif isinstance(info, msgspec.Struct):
        yield from msgspec.structs.astuple(info)


def test_the_garbage_collector_looks_at_no_part_of_a_host() -> None:
    found = struct_types(HostRecord)
    assert {HostRecord, Disk, ImageStatus} <= found
    assert [kind.__name__ for kind in found if kind.__struct_config__.gc] == []
