"""The host's name, or one made from a MAC where the host has none."""

from __future__ import annotations

from collections.abc import Sequence

from agent.machine import Machine
from agent.model.inventory import Interface

NAMED_KINDS = {"physical", "bond", "vlan"}


def collect(machine: Machine, interfaces: Sequence[Interface]) -> str:
    return choose(machine.kernel.hostname(), interfaces)


def choose(hostname: str, interfaces: Sequence[Interface]) -> str:
    """`hostname`, but for a localhost: the MAC with dashes of the first NIC, by name, that has an address."""
    if is_own(hostname):
        return hostname
    with_address = (nic for nic in interfaces if nic.type in NAMED_KINDS and (nic.ipv4_addresses or nic.ipv6_addresses))
    first = min(with_address, key=lambda nic: nic.name, default=None)
    return hostname if first is None else first.mac_address.replace(":", "-")


def is_own(hostname: str) -> bool:
    """Whether it names this host: every host without a name is a localhost."""
    return hostname.partition(".")[0] not in {"", "localhost", "localhost4", "localhost6"}
