"""`networkConfig`: the part of NMState's schema that we translate; anything else is refused, not dropped in silence."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from image_build.inputs.model import InputModel
from image_build.inputs.values import Cidr, DnsDomain, IpAddress, Mac


def _with_hyphens(name: str) -> str:
    return name.replace("_", "-")


class NmstateModel(InputModel):
    """NMState spells names with hyphens."""

    model_config = ConfigDict(alias_generator=_with_hyphens)


class Address(NmstateModel):
    ip: IpAddress
    prefix_length: Annotated[int, Field(ge=1, le=128)]


class IpSettings(NmstateModel):
    """`ipv4`: an address list, or DHCP, or switched off (`enabled: false`, the default)."""

    enabled: bool = False
    dhcp: bool = False
    address: tuple[Address, ...] = ()


class Ipv6Settings(NmstateModel):
    """`ipv6` can only be switched off for now."""

    enabled: Literal[False] = False


class NmstateInterface(NmstateModel):
    """`mac_address` may be left out: `interfaces[]` of the host has it."""

    name: Annotated[str, Field(min_length=1)]
    type: Literal["ethernet"] = "ethernet"
    state: Literal["up"] = "up"
    mac_address: Mac = ""
    mtu: Annotated[int, Field(ge=576, le=65_535)] = 0
    ipv4: IpSettings = IpSettings()
    ipv6: Ipv6Settings = Ipv6Settings()


class NmstateRoute(NmstateModel):
    destination: Cidr
    next_hop_address: IpAddress
    next_hop_interface: str
    metric: Annotated[int, Field(ge=0, le=4_294_967_295)] = -1
    table_id: Annotated[int, Field(ge=0, le=4_294_967_295)] = 0


class NmstateRoutes(NmstateModel):
    config: tuple[NmstateRoute, ...] = ()


class DnsSettings(NmstateModel):
    server: tuple[IpAddress, ...] = ()
    search: tuple[DnsDomain, ...] = ()


class DnsResolver(NmstateModel):
    config: DnsSettings = DnsSettings()


class NetworkConfig(NmstateModel):
    interfaces: Annotated[tuple[NmstateInterface, ...], Field(min_length=1)]
    routes: NmstateRoutes = NmstateRoutes()
    dns_resolver: DnsResolver = DnsResolver()
