"""Texts that many hosts say alike are kept once: names of NICs, flags of CPUs, addresses that twenty peers report."""

from __future__ import annotations

import sys
from typing import TypeVar

import msgspec

Value = TypeVar("Value")


def interned(value: Value) -> Value:
    """`value`, which nobody else has yet, with every text in it shared with who says the same.

    A report of twenty peers takes 6 instead of 14 KiB. Texts that nobody holds any more are forgotten (`sys.intern`).
    """
    if isinstance(value, str):
        # Those of an enum are one object each already.
        return sys.intern(value) if type(value) is str else value  # type: ignore[return-value]
    if isinstance(value, tuple):
        return tuple(map(interned, value))  # type: ignore[return-value]  # Value is this tuple
    if isinstance(value, msgspec.Struct):
        for name in value.__struct_fields__:
            msgspec.structs.force_setattr(value, name, interned(getattr(value, name)))
    return value
