"""The kernel's network in the terms of nispor, the Rust library that libnmstate reads it with and no registry has.

Read by netlink; options of bonds and bridges are sysfs', which says them by name. Of interfaces it knows the types that
an agent-config can ask for. What it does not read (ethtool, SR-IOV, VLAN filtering of bridges) is None, as in nispor
what a driver does not report, and libnmstate then shows NetworkManager's value, or nothing.
https://github.com/nispor/nispor
"""

from __future__ import annotations

import socket
from collections.abc import Mapping
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, Self

from agent.machine.link_options import bond_options, bridge_options, bridge_port_options

ARPHRD_ETHER = 1
FLAGS = {0x1: "up", 0x40: "running", 0x100: "promisc"}
FOREVER = 0xFFFFFFFF
TYPES = frozenset({"bond", "bridge", "dummy", "veth", "vlan", "vrf"})
FAMILIES = {socket.AF_INET: "ipv4", socket.AF_INET6: "ipv6"}
ROUTE_TYPE_UNICAST = 1
PROTOCOLS = {2: "kernel", 3: "boot", 4: "static"}
SCOPES = {0: "universe", 253: "link"}
RULE_ACTION_TABLE = 1


class KernelFacts(SimpleNamespace):
    """The known attributes of one object; any other is None."""

    def __getattr__(self, name: str) -> None:
        return None


@dataclass(frozen=True)
class NisporNetState:
    """What libnmstate imports from nispor. `ifaces`: by name."""

    ifaces: dict[str, KernelFacts]
    routes: list[KernelFacts]
    route_rules: list[KernelFacts]

    @classmethod
    def retrieve(cls) -> Self:
        """Blocks for some milliseconds; OSError where the kernel refuses."""
        from pyroute2 import IPRoute

        with IPRoute() as netlink:
            links = {link["index"]: link for link in netlink.get_links()}
            addresses = tuple(netlink.get_addr())
            routes = tuple(route for route in netlink.get_routes() if route["type"] == ROUTE_TYPE_UNICAST)
            rules = tuple(netlink.get_rules())
        ifaces = [_iface(link, links, addresses) for link in links.values()]
        return cls(
            ifaces={iface.name: iface for iface in ifaces},
            routes=[_route(route, links) for route in routes],
            route_rules=[_rule(rule) for rule in rules],
        )


def _iface(link: Any, links: Mapping[int, Any], addresses: tuple[Any, ...]) -> KernelFacts:
    return KernelFacts(
        name=_name(link),
        type=_type(link),
        mac_address=link.get_attr("IFLA_ADDRESS"),
        permanent_mac_address=link.get_attr("IFLA_PERM_ADDRESS"),
        mtu=link.get_attr("IFLA_MTU"),
        state=link.get_attr("IFLA_OPERSTATE").lower(),
        flags=[word for bit, word in FLAGS.items() if link["flags"] & bit],
        **_of_port(link, links),
        **_of_type(link, links),
        **{word: _addresses(link, family, addresses) for family, word in FAMILIES.items()},
    )


def _name(link: Any) -> str:
    return str(link.get_attr("IFLA_IFNAME"))


def _kind(link: Any) -> str:
    return str(link.get_nested("IFLA_LINKINFO", "IFLA_INFO_KIND") or "")


def _type(link: Any) -> str:
    kind = _kind(link)
    if not kind and link["ifi_type"] == ARPHRD_ETHER:
        return "ethernet"
    return kind if kind in TYPES else "unknown"


def _of_port(link: Any, links: Mapping[int, Any]) -> dict[str, Any]:
    controller = links.get(link.get_attr("IFLA_MASTER"))
    if controller is None:
        return {}
    own_mac = link.get_nested("IFLA_LINKINFO", "IFLA_INFO_SLAVE_DATA", "IFLA_BOND_SLAVE_PERM_HWADDR")
    options = bridge_port_options(_name(link)) if _kind(controller) == "bridge" else {}
    return {"controller_type": _kind(controller), "subordinate_state": KernelFacts(perm_hwaddr=own_mac, **options)}


def _of_type(link: Any, links: Mapping[int, Any]) -> dict[str, Any]:
    """What only interfaces of this type have."""
    ports = sorted(_name(port) for port in links.values() if port.get_attr("IFLA_MASTER") == link["index"])
    # The other end of a veth or the parent of a VLAN may be in another network namespace: no interface of ours.
    lower = links.get(link.get_attr("IFLA_LINK"))
    below = _name(lower) if lower is not None and link.get_attr("IFLA_LINK_NETNSID") is None else ""
    match _kind(link):
        case "bond":
            return {"subordinates": ports, **bond_options(_name(link))}
        case "bridge":
            return {"ports": ports, "options": bridge_options(_name(link))}
        case "vrf":
            table = link.get_nested("IFLA_LINKINFO", "IFLA_INFO_DATA", "IFLA_VRF_TABLE")
            return {"subordinates": ports, "table_id": table}
        case "vlan":
            vlan_id = link.get_nested("IFLA_LINKINFO", "IFLA_INFO_DATA", "IFLA_VLAN_ID")
            return {"base_iface": below, "vlan_id": vlan_id}
        case "veth":
            return {"peer": below}
        case _:
            return {}


def _addresses(link: Any, family: int, addresses: tuple[Any, ...]) -> KernelFacts:
    found = [one for one in addresses if (one["index"], one["family"]) == (link["index"], family)]
    return KernelFacts(
        addresses=[
            KernelFacts(
                # A point-to-point address is the peer's; this host's own is local.
                address=one.get_attr("IFA_LOCAL") or one.get_attr("IFA_ADDRESS"),
                prefix_len=one["prefixlen"],
                valid_lft=_lifetime(one.get_attr("IFA_CACHEINFO")["ifa_valid"]),
            )
            for one in found
        ]
    )


def _lifetime(seconds: int) -> str:
    return "forever" if seconds == FOREVER else f"{seconds}sec"


def _route(route: Any, links: Mapping[int, Any]) -> KernelFacts:
    destination, out = route.get_attr("RTA_DST"), links.get(route.get_attr("RTA_OIF"))
    hops = route.get_attr("RTA_MULTIPATH") or []
    multipath = [{"iface": _name(links[hop["oif"]]), "via": hop.get_attr("RTA_GATEWAY")} for hop in hops]
    return KernelFacts(
        address_family=FAMILIES.get(route["family"]),
        dst=destination and f"{destination}/{route['dst_len']}",
        gateway=route.get_attr("RTA_GATEWAY"),
        oif=out and _name(out),
        table=route.get_attr("RTA_TABLE"),
        metric=route.get_attr("RTA_PRIORITY"),
        protocol=PROTOCOLS.get(route["proto"]),
        scope=SCOPES.get(route["scope"]),
        _info={"multipath": multipath},
    )


def _rule(rule: Any) -> KernelFacts:
    source, destination = rule.get_attr("FRA_SRC"), rule.get_attr("FRA_DST")
    return KernelFacts(
        action="table" if rule["action"] == RULE_ACTION_TABLE else None,
        src=source and f"{source}/{rule['src_len']}",
        dst=destination and f"{destination}/{rule['dst_len']}",
        table=rule.get_attr("FRA_TABLE"),
        priority=rule.get_attr("FRA_PRIORITY"),
    )
