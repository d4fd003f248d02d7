"""Cuts an inventory to the bounds of its fields: node0's service would refuse it as a whole."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec.inspect import Field, StrType, StructType, Type, UnionType, VarTupleType, type_info

from agent.model.bounds import MOST_ADDRESSES
from agent.model.inventory import Interface, Inventory, Truncation

# A host with a thousand strange disks repeats itself.
_MOST_REASONS = 16


def bounded(inventory: Inventory) -> Inventory:
    """`inventory`, or one whose `truncation` names what was left out: the end of lists and of texts."""
    cut: list[str] = []
    found: Inventory = _within(type_info(Inventory), inventory, "", cut)
    found = msgspec.structs.replace(found, interfaces=_with_fewer_addresses(found.interfaces, cut))
    if not cut:
        return inventory
    return msgspec.structs.replace(found, truncation=Truncation(type="partial", reasons=tuple(cut[:_MOST_REASONS])))


def _within(kind: Type, value: Any, name: str, cut: list[str]) -> Any:
    """`value`, of type `kind`, within the bounds of the type. `cut` gets a sentence for each that was exceeded."""
    match kind:
        case StructType():
            return msgspec.structs.replace(value, **{item.name: _field(item, value, name, cut) for item in kind.fields})
        case VarTupleType():
            kept = _start(value, kind.max_length, f"{name}: {len(value)} entries", cut)
            return tuple(_within(kind.item_type, item, name, cut) for item in kept)
        case StrType():
            return _start(value, kind.max_length, f"{name}: a text of {len(value)} characters", cut)
        case UnionType() if value is not None:
            return _within(next(item for item in kind.types if isinstance(item, StructType)), value, name, cut)
        case _:
            return value


def _field(item: Field, value: Any, name: str, cut: list[str]) -> Any:
    return _within(item.type, getattr(value, item.name), f"{name}.{item.name}".removeprefix("."), cut)


def _start(value: Any, most: int | None, words: str, cut: list[str]) -> Any:
    if most is None or len(value) <= most:
        return value
    cut.append(f"{words}, of which the first {most} are listed")
    return value[:most]


def _with_fewer_addresses(nics: tuple[Interface, ...], cut: list[str]) -> tuple[Interface, ...]:
    """At most `MOST_ADDRESSES` in all: those of the first NICs."""
    left, kept = MOST_ADDRESSES, []
    for nic in nics:
        first, second = nic.ipv4_addresses[:left], nic.ipv6_addresses[: max(0, left - len(nic.ipv4_addresses))]
        left -= len(first) + len(second)
        kept.append(msgspec.structs.replace(nic, ipv4_addresses=first, ipv6_addresses=second))
    if tuple(kept) != nics:
        cut.append(f"interfaces: more than {MOST_ADDRESSES} addresses in all, of which the first are listed")
    return tuple(kept)
