"""The plain network model of one host: what an NMState document means once it has been checked.

The build side translates `networkConfig` into it; the agent renders it into NetworkManager keyfiles
with the real interface names. Interface names in here are the user's *logical* names; `mac` says which
NIC is meant. Addresses are "address/prefix-length" strings, validated before they get here.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec


class IpMethod(StrEnum):
    MANUAL = "manual"
    AUTO = "auto"
    DISABLED = "disabled"


class IpConfig(msgspec.Struct, frozen=True, kw_only=True):
    """One address family of one interface. `addresses` is empty unless the method is manual."""

    method: IpMethod
    addresses: tuple[str, ...] = ()


class Ethernet(msgspec.Struct, frozen=True, kw_only=True, tag="ethernet"):
    """A NIC. `mac`: permanent address, lower case with colons. `mtu`: bytes, 0 leaves the driver's."""

    name: str
    mac: str
    ipv4: IpConfig
    ipv6: IpConfig
    mtu: int = 0


class Route(msgspec.Struct, frozen=True, kw_only=True):
    """`destination`: a prefix; `gateway`: empty for an on-link route; `interface`: a logical name.
    `metric` and `table`: -1 and 0 leave NetworkManager's choice."""

    destination: str
    gateway: str
    interface: str
    metric: int = -1
    table: int = 0


class Dns(msgspec.Struct, frozen=True, kw_only=True):
    servers: tuple[str, ...] = ()
    search: tuple[str, ...] = ()


class NetworkModel(msgspec.Struct, frozen=True, kw_only=True):
    interfaces: tuple[Ethernet, ...] = ()
    routes: tuple[Route, ...] = ()
    dns: Dns = Dns()
