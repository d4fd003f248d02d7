"""Replaces everything in a record that identifies its machine, so that the record can be published.

Replaced are serial numbers, WWNs, UUIDs and GUIDs, the machine id, the last half of MACs, also in IPv6 addresses that
are made of them, disks' names by id, and what looks like a secret on the kernel's command line. MACs and UUIDs are
replaced wherever they stand: those of other machines, too. Equal values stay equal, different ones stay different, and
firmware's placeholders stay: validations evaluate a masked machine like the real one. Host names, labels of file
systems, and all other IP addresses stay.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from ipaddress import IPv6Address
from typing import Any

import msgspec

from agent.inventory.host_id import NOT_A_SERIAL, NOT_A_UUID
from agent.record.machine import MachineRecord

SECRET_ARGUMENT = re.compile(r"([\w.-]*(?:passw|token|secret|key|auth)[\w.-]*)=\S+", re.IGNORECASE)
USER_INFO = re.compile(r"(?<=://)[^/\s@]+@")
BY_ID_KIND = re.compile(r"/dev/disk/by-id/(nvme-eui\.|\w+-)?")
WWN_KIND = re.compile(r"0x|eui\.|naa\.|nvme\.|t10\.|")
MAC = re.compile(r"\b[0-9a-f]{2}(?::[0-9a-f]{2}){5}\b")
NOT_A_MACHINE = frozenset({"00:00:00:00:00:00", "ff:ff:ff:ff:ff:ff"})  # loopback's, and broadcast
UUID = re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", re.IGNORECASE)

EUI64_MIDDLE = b"\xff\xfe"
EUI64_FLIPPED = 0x02  # the bit of the first byte that an address has the other way round

# A shorter text may be part of other words by chance, and is replaced only where it stands alone.
UNAMBIGUOUS = 8


def mask(record: MachineRecord) -> MachineRecord:
    """`record` without what identifies its machine. Masking twice changes nothing more."""
    plain = msgspec.to_builtins(record)
    masks: dict[str, str] = {}
    for path, text in _strings(plain, ""):
        if make := PLACES.get(path):
            _add(masks, text, make)
        for mac in MAC.findall(text):
            _add(masks, mac, _mac)
        for uuid in UUID.findall(text):
            _add(masks, uuid, _uuid)
        _add_address(masks, text)
    masks |= {mac.replace(":", "-"): masked.replace(":", "-") for mac, masked in masks.items() if MAC.fullmatch(mac)}
    plain = _replaced(plain, masks)
    boot = plain["inventory"]["boot"]
    boot["command_line"] = USER_INFO.sub("", SECRET_ARGUMENT.sub(r"\1=MASKED", boot["command_line"]))
    return msgspec.convert({**plain, "masked": True}, MachineRecord)


def _add(masks: dict[str, str], text: str, make: Callable[[str, int], str]) -> None:
    if text not in masks and text.lower() not in NOT_A_SERIAL | NOT_A_UUID | NOT_A_MACHINE:
        masks[text] = make(text, len(masks) + 1)


def _add_address(masks: dict[str, str], text: str) -> None:
    """An IPv6 address whose second half is made of a MAC (EUI-64, RFC 4291) keeps its prefix."""
    address = text.partition("/")[0]
    try:
        packed = IPv6Address(address).packed
    except ValueError:
        return
    if packed[11:13] == EUI64_MIDDLE:
        mac = bytes([packed[8] ^ EUI64_FLIPPED, *packed[9:11], *packed[13:]]).hex(":")
        _add(masks, mac, _mac)
        last_half = masks.get(mac, mac)[9:].replace(":", "")
        masks[address] = str(IPv6Address(packed[:13] + bytes.fromhex(last_half)))


def _serial(_text: str, number: int) -> str:
    return f"MASKED{number:04d}"


def _uuid(_text: str, number: int) -> str:
    return f"00000000-0000-4000-8000-{number:012x}"


def _machine_id(_text: str, number: int) -> str:
    return f"{number:032x}"


def _mac(text: str, number: int) -> str:
    """The first half names the vendor, and may matter."""
    return f"{text[:9]}{number >> 16 & 255:02x}:{number >> 8 & 255:02x}:{number & 255:02x}"


def _wwn(text: str, number: int) -> str:
    return f"{_kind(WWN_KIND, text)}{number:016x}"


def _by_id(text: str, number: int) -> str:
    return f"{_kind(BY_ID_KIND, text)}MASKED{number:04d}"


def _kind(pattern: re.Pattern[str], text: str) -> str:
    found = pattern.match(text)
    return found[0] if found else ""


PLACES: dict[str, Callable[[str, int], str]] = {
    ".host_id": _uuid,
    ".inventory.disks[].by_id": _by_id,
    ".inventory.disks[].wwn": _wwn,
    ".inventory.disks[].serial": _serial,
    ".inventory.system_vendor.serial_number": _serial,
    ".inventory.system_vendor.product_uuid": _uuid,
    ".inventory.machine_id": _machine_id,
    ".contents[].found[].guid": _uuid,
}
"""Where in the record → how what stands there is replaced."""


def _strings(value: Any, path: str) -> Iterator[tuple[str, str]]:
    """Path and text of every string; `[]` stands for any place in a list."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _strings(inner, f"{path}.{key}")
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _strings(inner, f"{path}[]")


def _replaced(value: Any, masks: dict[str, str]) -> Any:
    """In one pass, the longest first: one name may be part of another, or of a mask."""
    unambiguous = sorted((name for name in masks if len(name) >= UNAMBIGUOUS), key=len, reverse=True)
    pattern = re.compile("|".join(map(re.escape, unambiguous)) or r"(?!)")

    def replaced(value: Any) -> Any:
        if isinstance(value, str):
            return masks.get(value) or pattern.sub(lambda found: masks[found[0]], value)
        if isinstance(value, dict):
            return {key: replaced(inner) for key, inner in value.items()}
        if isinstance(value, list | tuple):
            return [replaced(inner) for inner in value]
        return value

    return replaced(value)
