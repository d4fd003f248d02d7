"""Word of who has an address, overheard or asked for."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Claim:
    """The NIC `mac` says that the IPv4 address `address` is its own."""

    address: str
    mac: str
