"""Routes to the pods of the other nodes, kept equal to the Nodes' pod CIDRs and addresses.

They carry a routing protocol number of their own. So stale ones are recognised, and no other routes are touched.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import dataclass

from agent.kubernetes.nodes import Node
from agent.podnet.cni import version

log = logging.getLogger(__name__)

PROTOCOL = 197  # unassigned in iproute2's rt_protos


@dataclass(frozen=True, order=True)
class PodRoute:
    """`destination`: a node's pod CIDR; `gateway`: that node's address."""

    destination: str
    gateway: str


def pod_routes(nodes: Iterable[Node], own_name: str) -> frozenset[PodRoute]:
    """One route for each pod CIDR of each other node, through its address of the same family."""
    return frozenset(
        PodRoute(destination=cidr, gateway=address)
        for node in nodes
        if node.name != own_name
        for cidr in node.spec.podCIDRs
        for address in node.addresses
        if version(cidr) == version(address)
    )


def set_routes(required: frozenset[PodRoute]) -> None:
    """Make the kernel's routes of our protocol equal to `required`. Blocks for some milliseconds.

    A route whose gateway cannot be reached directly is left out and logged: that node is on another network.
    """
    from pyroute2 import IPRoute, NetlinkError

    with IPRoute() as netlink:
        present = {
            PodRoute(f"{message.get_attr('RTA_DST')}/{message['dst_len']}", message.get_attr("RTA_GATEWAY"))
            for message in netlink.get_routes(proto=PROTOCOL)
        }
        for route in sorted(present - required):
            netlink.route("del", dst=route.destination, gateway=route.gateway, proto=PROTOCOL)
            log.info("no route to %s any more", route.destination)
        for route in sorted(required - present):
            try:
                netlink.route("replace", dst=route.destination, gateway=route.gateway, proto=PROTOCOL)
                log.info("%s through %s", route.destination, route.gateway)
            except NetlinkError as error:
                log.warning("%s through %s: %s", route.destination, route.gateway, error)
