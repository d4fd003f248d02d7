"""`networkConfig`: the supported part of NMState's schema; any other field is an error.

`docs/network-config.md` describes every field of these models, and a test compares the two. `inputs.rules`
checks that fields fit the interface's type and that names refer to interfaces.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from inputs.schema.bond_options import BondMode, BondOptions
from inputs.schema.model import InputModel
from inputs.schema.values import Cidr, DnsDomain, InterfaceName, IpAddress, Mac

UNSET = -1
_Uint32 = Annotated[int, Field(ge=0, le=4_294_967_295)]
_Table = Annotated[int, Field(ge=1, le=4_294_967_295)]
_RingSize = Annotated[int, Field(ge=0, le=65_535)]


def _with_hyphens(name: str) -> str:
    return name.rstrip("_").replace("_", "-")


class NmstateModel(InputModel):
    """NMState spells names with hyphens."""

    model_config = ConfigDict(alias_generator=_with_hyphens)


class Address(NmstateModel):
    ip: IpAddress
    prefix_length: Annotated[int, Field(ge=1, le=128)]


class IpSettings(NmstateModel):
    """One family: static addresses, automatic addresses, or off (`enabled: false`, the default)."""

    enabled: bool = False
    dhcp: bool = False
    address: tuple[Address, ...] = ()
    auto_dns: bool = True
    auto_gateway: bool = True
    auto_routes: bool = True
    auto_route_metric: _Uint32 = UNSET
    auto_route_table_id: _Table = 0


class Ipv4Settings(IpSettings):
    dhcp_client_id: Literal["ll", "iaid+duid", ""] = ""


class Ipv6Settings(IpSettings):
    autoconf: bool = False
    addr_gen_mode: Literal["eui64", "stable-privacy", ""] = ""


class BondPort(NmstateModel):
    name: str
    priority: Annotated[int, Field(ge=-2_147_483_648, le=2_147_483_647)] = 0
    queue_id: Annotated[int, Field(ge=0, le=65_535)] = 0


class LinkAggregation(NmstateModel):
    """A port is named, or given by its MAC address; `ports_config` lists ports with settings of their own."""

    mode: BondMode
    port: tuple[str, ...] = ()
    ports_config: tuple[BondPort, ...] = ()
    options: BondOptions = BondOptions()


class VlanSettings(NmstateModel):
    base_iface: str
    id: Annotated[int, Field(ge=1, le=4094)]
    protocol: Literal["802.1q", "802.1ad"] = "802.1q"


class Stp(NmstateModel):
    """Times in seconds."""

    enabled: bool = False
    priority: Annotated[int, Field(ge=0, le=65_535)] = UNSET
    forward_delay: Annotated[int, Field(ge=2, le=30)] = UNSET
    hello_time: Annotated[int, Field(ge=1, le=10)] = UNSET
    max_age: Annotated[int, Field(ge=6, le=40)] = UNSET


class BridgeOptions(NmstateModel):
    stp: Stp = Stp()
    mac_ageing_time: Annotated[int, Field(ge=0, le=1_000_000)] = UNSET


class BridgePort(NmstateModel):
    name: str
    stp_hairpin_mode: bool = False
    stp_path_cost: Annotated[int, Field(ge=1, le=65_535)] = UNSET
    stp_priority: Annotated[int, Field(ge=0, le=63)] = UNSET


class BridgeSettings(NmstateModel):
    options: BridgeOptions = BridgeOptions()
    port: tuple[BridgePort, ...] = ()


class VrfSettings(NmstateModel):
    port: tuple[str, ...] = ()
    route_table_id: _Table


class EthernetSettings(NmstateModel):
    """`speed` in Mbit/s; with `duplex` or not at all."""

    auto_negotiation: bool | None = None
    speed: Annotated[int, Field(ge=1, le=1_000_000)] = 0
    duplex: Literal["full", "half", ""] = ""


class Lldp(NmstateModel):
    enabled: bool


class Features(NmstateModel):
    """Offloads, by the names the kernel gives them (`ethtool -k` shows their state)."""

    rx_checksum: bool | None = None
    tx_checksum_ip_generic: bool | None = None
    tx_generic_segmentation: bool | None = None
    tx_tcp_segmentation: bool | None = None
    rx_gro: bool | None = None
    rx_lro: bool | None = None
    rx_hashing: bool | None = None
    rx_vlan_hw_parse: bool | None = None
    tx_vlan_hw_insert: bool | None = None
    rx_ntuple_filter: bool | None = None


class Ring(NmstateModel):
    """Buffers of the NIC, in packets."""

    rx: _RingSize = UNSET
    tx: _RingSize = UNSET


class Pause(NmstateModel):
    autoneg: bool | None = None
    rx: bool | None = None
    tx: bool | None = None


class Ethtool(NmstateModel):
    feature: Features = Features()
    ring: Ring = Ring()
    pause: Pause = Pause()


class NmstateInterface(NmstateModel):
    """As in NMState, one shape for all types: `type` selects the section that applies.

    `mac_address` identifies a NIC, and is optional if `interfaces[]` of the host has it; any other interface gets
    it as its address.
    """

    name: InterfaceName
    type: Literal["ethernet", "bond", "vlan", "linux-bridge", "vrf", "dummy"] = "ethernet"
    state: Literal["up"] = "up"
    identifier: Literal["name", "mac-address"] = "name"
    mac_address: Mac = ""
    mtu: Annotated[int, Field(ge=576, le=65_535)] = 0
    wait_ip: Literal["any", "ipv4", "ipv6", "ipv4+ipv6"] = "any"
    ipv4: Ipv4Settings = Ipv4Settings()
    ipv6: Ipv6Settings = Ipv6Settings()
    link_aggregation: LinkAggregation | None = None
    vlan: VlanSettings | None = None
    bridge: BridgeSettings | None = None
    vrf: VrfSettings | None = None
    ethernet: EthernetSettings = EthernetSettings()
    lldp: Lldp | None = None
    ethtool: Ethtool = Ethtool()


class NmstateRoute(NmstateModel):
    """Without a gateway the destination is on the link itself."""

    destination: Cidr
    next_hop_address: IpAddress = ""
    next_hop_interface: str
    metric: _Uint32 = UNSET
    table_id: _Uint32 = 0


class NmstateRoutes(NmstateModel):
    config: tuple[NmstateRoute, ...] = ()


class NmstateRule(NmstateModel):
    """`family` is used only if neither `ip_from` nor `ip_to` is set."""

    priority: Annotated[int, Field(ge=0, le=32_765)]
    route_table: _Table
    ip_from: Cidr = ""
    ip_to: Cidr = ""
    family: Literal["ipv4", "ipv6"] = "ipv4"


class NmstateRules(NmstateModel):
    config: tuple[NmstateRule, ...] = ()


class DnsSettings(NmstateModel):
    server: tuple[IpAddress, ...] = ()
    search: tuple[DnsDomain, ...] = ()


class DnsResolver(NmstateModel):
    config: DnsSettings = DnsSettings()


class NetworkConfig(NmstateModel):
    interfaces: Annotated[tuple[NmstateInterface, ...], Field(min_length=1)]
    routes: NmstateRoutes = NmstateRoutes()
    route_rules: NmstateRules = NmstateRules()
    dns_resolver: DnsResolver = DnsResolver()
