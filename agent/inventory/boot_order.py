"""What UEFI tries to start, first to last. Source: UEFI specification 2.10, 3.3 (variables) and 10.3 (device paths)."""

from __future__ import annotations

import struct
from collections.abc import Iterator

from agent.machine import Files
from agent.model.inventory import BootEntry

GLOBAL = "8be4df61-93ca-11d2-aa0d-00e098032b8c"
VARIABLES = "/sys/firmware/efi/efivars"

# efivarfs puts a variable's attributes before its value.
ATTRIBUTES = 4

LOAD_OPTION = struct.Struct("<IH")
NODE = struct.Struct("<BBH")
MESSAGING, MEDIA, END = 0x03, 0x04, 0x7F
NETWORK = frozenset({0x0B, 0x0C, 0x0D, 0x18})  # MAC, IPv4, IPv6, URI
DISK = frozenset({0x01, 0x02})  # hard drive, CD-ROM


def collect(files: Files) -> tuple[BootEntry, ...]:
    """Empty on BIOS, which has no list."""
    order = _value(files, "BootOrder")
    numbers = struct.unpack(f"<{len(order) // 2}H", order[: len(order) // 2 * 2])
    options = (_value(files, f"Boot{number:04X}") for number in numbers)
    return tuple(parse(option) for option in options if len(option) > LOAD_OPTION.size)


def parse(option: bytes) -> BootEntry:
    """An EFI_LOAD_OPTION: attributes, length of the device path, description in UTF-16, the path."""
    _, length = LOAD_OPTION.unpack_from(option)
    rest = option[LOAD_OPTION.size :]
    end = next((place for place in range(0, len(rest) - 1, 2) if rest[place : place + 2] == b"\0\0"), len(rest))
    path = rest[end + 2 : end + 2 + length]
    return BootEntry(name=rest[:end].decode("utf-16-le", errors="replace"), kind=_kind(path))


def _kind(path: bytes) -> str:
    nodes = set(_nodes(path))
    if any(type_ == MESSAGING and subtype in NETWORK for type_, subtype in nodes):
        return "network"
    return "disk" if any(type_ == MEDIA and subtype in DISK for type_, subtype in nodes) else "other"


def _nodes(path: bytes) -> Iterator[tuple[int, int]]:
    """Type and subtype of each node."""
    while len(path) >= NODE.size:
        type_, subtype, length = NODE.unpack_from(path)
        if type_ == END or length < NODE.size:
            return
        yield type_, subtype
        path = path[length:]


def _value(files: Files, name: str) -> bytes:
    try:
        return files.at(f"{VARIABLES}/{name}-{GLOBAL}").read_bytes()[ATTRIBUTES:]
    except OSError:
        return b""
