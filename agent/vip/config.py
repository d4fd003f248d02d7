"""keepalived's configuration. Pure.

Reference: keepalived.conf(5). All hosts begin as BACKUP with the same priority, and an equal one takes the address from
nobody: it moves only when it must. A host whose API server is away has a lower priority, and keeps the address where
no other is better off: all of them slow at once is no reason to have it nowhere. keepalived may start before its
interface has got its name, or before the VLAN is there: without `dynamic_interfaces` it ends then, for good.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import ip_address, ip_network

from agent.kubeadm.kinds import API_PORT
from agent.machine import Address
from agent.model.intent import ClusterIntent, HostIntent, Platform, Role

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
    """Where the address lives on this host: `interface` has `address` (no prefix), on the virtual address' network."""

    interface: str
    address: str


def find_place(intent: ClusterIntent, own: Iterable[Address]) -> Place | None:
    """The first of the host's `own` addresses on the machine network that the virtual address is on."""
    vip = ip_address(intent.api_address)
    network = next((ip_network(cidr) for cidr in intent.machine_networks if vip in ip_network(cidr)), None)
    for each in own:
        text, _, _ = each.address.partition("/")
        if network is not None and ip_address(text) in network and ip_address(text) != vip:
            return Place(each.interface, text)
    return None


def render(intent: ClusterIntent, place: Place, hostname: str) -> str:
    """The configuration file of a control plane at `place`."""
    vip = ip_address(intent.api_address)
    return _TEMPLATE.format(
        hostname=hostname,
        port=API_PORT,
        interface=place.interface,
        # Clusters on one link are told apart by the last byte of their addresses; 0 is not allowed.
        router=vip.packed[-1] or 255,
        peers=_peers(intent, place.address),
        vip=f"{vip}/{vip.max_prefixlen}",
    )


def _peers(intent: ClusterIntent, own: str) -> str:
    """The other control planes by address, for switches that drop multicast. Where one has none in the inputs (DHCP),
    multicast it is."""
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
    """Is the API's address ours to carry from host to host?"""
    return intent.platform is Platform.BAREMETAL and intent.api_address != intent.rendezvous_ip
