"""Another machine on the link that has what belongs to a host: its address, or its MAC."""

from __future__ import annotations

import json
import sys
from ipaddress import IPv4Interface, IPv6Interface, ip_interface

from agent.model.problems import Problem
from cli.command import run
from vm_harness.faults.fault import Fault, Target
from vm_harness.network.link import BRIDGE, neighbour_namespace
from vm_harness.network.namespace import Namespace

SECONDS = 30
NIC = "eth0"
CHATTER = (sys.executable, "-P", "-m", "vm_harness.network.chatter")


def take_address(target: Target) -> None:
    """A machine with an address of the host, which answers ARP and neighbour solicitations for it."""
    if not target.node.address:
        raise Problem(code="no-address", title=f"the lab knows no address of {target.name}")
    _connect(target, target.node.address)


def take_mac(target: Target) -> None:
    """A machine with the host's MAC that sends frames all the time: the switch sends it what is for the host."""
    neighbour = _connect(target, mac=target.macs[0])
    run(neighbour.inside([*CHATTER, NIC]), timeout=SECONDS)


def leave(lab: str) -> None:
    """The machine is gone, with all of its processes. Nothing where there is none.

    `lab`: the name of the lab's namespace.
    """
    name = neighbour_namespace(lab)
    pids = run(["ip", "netns", "pids", name], timeout=SECONDS, check=False)
    if pids.stdout.split():
        run(["kill", "--signal", "KILL", *pids.stdout.split()], timeout=SECONDS, check=False)
    run(["ip", "netns", "delete", name], timeout=SECONDS, check=False)
    run(["ip", "-n", lab, "link", "delete", "neighbour"], timeout=SECONDS, check=False)


def _connect(target: Target, address: str = "", mac: str = "") -> Namespace:
    lab = target.namespace.name
    leave(lab)
    neighbour = Namespace.create(neighbour_namespace(lab))
    peer = ["peer", "name", NIC, *(["address", mac] if mac else []), "netns", neighbour.name]
    run(["ip", "-n", lab, "link", "add", "neighbour", "type", "veth", *peer], timeout=SECONDS)
    run(["ip", "-n", lab, "link", "set", "neighbour", "master", BRIDGE, "up"], timeout=SECONDS)
    if address:
        own = f"{address}/{_gateway(target).network.prefixlen}"
        run(["ip", "-n", neighbour.name, "address", "add", own, "dev", NIC, "nodad"], timeout=SECONDS)
    run(["ip", "-n", neighbour.name, "link", "set", NIC, "up"], timeout=SECONDS)
    return neighbour


def _gateway(target: Target) -> IPv4Interface | IPv6Interface:
    """The address of the lab's bridge."""
    shown = run(["ip", "-json", "-n", target.namespace.name, "address", "show", "dev", BRIDGE], timeout=SECONDS).stdout
    (found,) = (each for each in json.loads(shown)[0]["addr_info"] if each["scope"] == "global")
    return ip_interface(f"{found['local']}/{found['prefixlen']}")


FAULTS = (
    Fault(
        name="address-taken",
        summary="Another machine on the link has the host's address, and answers for it.",
        begin=take_address,
        end=lambda target: leave(target.namespace.name),
    ),
    Fault(
        name="duplicate-mac",
        summary="Another machine on the link has the MAC of the host's first NIC, and sends frames all the time.",
        begin=take_mac,
        end=lambda target: leave(target.namespace.name),
    ),
)
