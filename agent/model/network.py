"""The plain network model of one host: what an NMState document means once it has been checked.

The build side translates `networkConfig` into it; the agent makes NetworkManager connections of it, with the real
interface names. Names of NICs in here are the user's *logical* names, `mac` says which NIC is meant; a bond, VLAN,
bridge, VRF or dummy is really called as it is here. Addresses are "address/prefix-length" strings.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec


class IpMethod(StrEnum):
    """NetworkManager's terms. For IPv6 `auto` follows router advertisements; `dhcp` is DHCPv6 without them."""

    MANUAL = "manual"
    AUTO = "auto"
    DHCP = "dhcp"
    LINK_LOCAL = "link-local"
    DISABLED = "disabled"


class IpConfig(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One address family of one interface. `addresses` is empty unless the method is manual.

    `required`: the connection is not up without this family. `use_dns`, `use_gateway`, `use_routes`: whether values
    of DHCP or a router are used; `metric` and `table` are for such routes, -1 and 0 leave NetworkManager's
    choice. `client_id`: DHCP's, in NetworkManager's words; `addr_gen_mode`: eui64 or stable-privacy.
    """

    method: IpMethod
    addresses: tuple[str, ...] = ()
    required: bool = False
    use_dns: bool = True
    use_gateway: bool = True
    use_routes: bool = True
    metric: int = -1
    table: int = 0
    client_id: str = ""
    addr_gen_mode: str = ""


IP_OFF = IpConfig(method=IpMethod.DISABLED)


class Link(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What every interface has. `mtu`: bytes, 0 leaves the driver's. `lldp`: null leaves NetworkManager's choice.
    `ethtool`: NetworkManager's keys, such as feature-gro or ring-rx."""

    name: str
    ipv4: IpConfig = IP_OFF
    ipv6: IpConfig = IP_OFF
    mtu: int = 0
    lldp: bool | None = None
    ethtool: dict[str, bool | int] = {}

    @property
    def static_addresses(self) -> tuple[str, ...]:
        """IPv4 before IPv6, with prefix lengths."""
        return (*self.ipv4.addresses, *self.ipv6.addresses)


class Ethernet(Link, frozen=True, kw_only=True, tag="ethernet"):
    """A NIC. `mac`: permanent address, lower case with colons. `speed`: Mbit/s, 0 leaves the driver's."""

    mac: str
    auto_negotiation: bool | None = None
    speed: int = 0
    duplex: str = ""


class Port(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A port of a bond or bridge. `options`: NetworkManager's keys of [bond-port] or [bridge-port]."""

    name: str
    options: dict[str, bool | int] = {}


class Bond(Link, frozen=True, kw_only=True, tag="bond"):
    """`options`: the kernel's own names and words, `mode` not among them; `primary` is a port's logical name.
    `mac`: the address the bond takes, empty where its ports decide."""

    mode: str
    ports: tuple[Port, ...]
    options: dict[str, str] = {}
    mac: str = ""


class Vlan(Link, frozen=True, kw_only=True, tag="vlan"):
    """`parent`: name of an interface of this host. `protocol`: 802.1q or 802.1ad."""

    parent: str
    id: int
    protocol: str = "802.1q"
    mac: str = ""


class Bridge(Link, frozen=True, kw_only=True, tag="bridge"):
    """`options`: NetworkManager's keys of [bridge], times in seconds. `mac` as for a bond."""

    ports: tuple[Port, ...] = ()
    stp: bool = False
    options: dict[str, int] = {}
    mac: str = ""


class Vrf(Link, frozen=True, kw_only=True, tag="vrf"):
    """`table`: the routing table of this VRF. Its ports keep their addresses."""

    table: int
    ports: tuple[Port, ...] = ()


class Dummy(Link, frozen=True, kw_only=True, tag="dummy"):
    mac: str = ""


Interface = Ethernet | Bond | Vlan | Bridge | Vrf | Dummy


class Route(msgspec.Struct, frozen=True, kw_only=True):
    """`destination`: a prefix; `gateway`: empty for an on-link route; `interface`: a logical name.
    `metric` and `table`: -1 and 0 leave NetworkManager's choice."""

    destination: str
    gateway: str
    interface: str
    metric: int = -1
    table: int = 0


class RouteRule(msgspec.Struct, frozen=True, kw_only=True):
    """Packets from `source` to `destination` (prefixes, empty for any) look into `table`; `family`: 4 or 6."""

    priority: int
    table: int
    family: int
    source: str = ""
    destination: str = ""


class Dns(msgspec.Struct, frozen=True, kw_only=True):
    servers: tuple[str, ...] = ()
    search: tuple[str, ...] = ()


class NetworkModel(msgspec.Struct, frozen=True, kw_only=True):
    interfaces: tuple[Interface, ...] = ()
    routes: tuple[Route, ...] = ()
    rules: tuple[RouteRule, ...] = ()
    dns: Dns = Dns()

    @property
    def nics(self) -> tuple[Ethernet, ...]:
        return tuple(interface for interface in self.interfaces if isinstance(interface, Ethernet))

    @property
    def static_addresses(self) -> tuple[str, ...]:
        """The addresses of all interfaces, in the order of the interfaces, with prefix lengths."""
        return tuple(address for interface in self.interfaces for address in interface.static_addresses)
