"""The API's virtual IP on platform baremetal: keepalived's configuration on every control plane.

Reference: keepalived.conf(5). Every host starts as BACKUP with the same priority, and keepalived takes no address from
a host with an equal one: the address moves only when it must. A host whose API server does not answer has a lower
priority. It keeps the address while no other host is better off: with all of them slow, the address stays up.

`dynamic_interfaces`: keepalived may start before its interface has its name, or before the VLAN exists. Without this it
would end then, and not start again.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import ip_address, ip_network

from agent.machine import Address, Machine
from agent.model.endpoints import API_PORT
from agent.model.intent import ClusterIntent, HostIntent, Platform, Role
from agent.model.problems import Problem

log = logging.getLogger(__name__)

CONFIG_FILE = "/etc/keepalived/keepalived.conf"

_TEMPLATE = """\
global_defs {{
    router_id {hostname}
    enable_script_security
    script_user root
    dynamic_interfaces
}}

vrrp_script api_answers {{
    script "/usr/bin/bash -c 'exec </dev/tcp/127.0.0.1/{port}'"
    interval 5
    timeout 5
    rise 2
    fall 3
    weight -50
}}

vrrp_instance api {{
    state BACKUP
    interface {interface}
    virtual_router_id {router}
    priority 100
    advert_int 1
{peers}    virtual_ipaddress {{
        {vip}
    }}
    track_script {{
        api_answers
    }}
}}
"""


@dataclass(frozen=True)
class Place:
    """Where keepalived holds the virtual IP: `interface` has `address` (no prefix length), in the same network."""

    interface: str
    address: str


async def configure(machine: Machine, intent: ClusterIntent) -> None:
    """Write the configuration, where the API has a virtual IP; keepalived.service starts where the file is.

    Raises Problem `vip-not-on-link`.
    """
    if not has_vip(intent):
        return
    own = await asyncio.to_thread(machine.netlink.addresses)
    place = find_place(intent, own)
    if place is None:
        raise Problem(
            code="vip-not-on-link",
            title=f"This host has no address on the network of the API's virtual address {intent.api_address}.",
            detail="\n".join(f"{each.interface}  {each.address}" for each in own) or "It has no addresses at all.",
            remedy="Give every control-plane host an address in the machine network of apiVIPs.",
        )
    machine.files.write(CONFIG_FILE, render(intent, place, machine.kernel.hostname()))
    log.info("keepalived holds %s on %s", intent.api_address, place.interface)


def find_place(intent: ClusterIntent, own: Iterable[Address]) -> Place | None:
    """The first of the host's `own` addresses in the machine network of the virtual IP. Pure."""
    vip = ip_address(intent.api_address)
    network = next((ip_network(cidr) for cidr in intent.machine_networks if vip in ip_network(cidr)), None)
    for each in own:
        text, _, _ = each.address.partition("/")
        if network is not None and ip_address(text) in network and ip_address(text) != vip:
            return Place(each.interface, text)
    return None


def render(intent: ClusterIntent, place: Place, hostname: str) -> str:
    """The configuration file of a control plane at `place`. Pure."""
    vip = ip_address(intent.api_address)
    return _TEMPLATE.format(
        hostname=hostname,
        port=API_PORT,
        interface=place.interface,
        # The last byte of the virtual IP, so that clusters on one link differ; 0 is not allowed.
        router=vip.packed[-1] or 255,
        peers=_peers(intent, place.address),
        vip=f"{vip}/{vip.max_prefixlen}",
    )


def _peers(intent: ClusterIntent, own: str) -> str:
    """The other control planes by address, for switches that drop multicast. Empty, which means multicast, where a host
    has no static address in the inputs."""
    masters = [host for host in intent.hosts if host.role is Role.MASTER]
    others = [_address_on(host, intent) for host in masters]
    if not all(others) or len(masters) < 2:
        return ""
    lines = "".join(f"        {address}\n" for address in others if address != own)
    return f"    unicast_src_ip {own}\n    unicast_peer {{\n{lines}    }}\n"


def _address_on(host: HostIntent, intent: ClusterIntent) -> str:
    """The host's static address on a machine network; empty when it has none."""
    static = [address.partition("/")[0] for address in host.network.static_addresses]
    networks = [ip_network(cidr) for cidr in intent.machine_networks]
    return next((text for text in static if any(ip_address(text) in network for network in networks)), "")


def has_vip(intent: ClusterIntent) -> bool:
    """Whether the API's address is a virtual IP, which moves from host to host."""
    return intent.platform is Platform.BAREMETAL and intent.api_address != intent.rendezvous_ip
