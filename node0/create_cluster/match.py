"""Matches registered hosts to the hosts of the inputs by MAC, with the same rules as the hosts for their network."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from agent.api.hosts import Host
from agent.model.intent import ClusterIntent, HostIntent
from agent.model.inventory import Inventory
from agent.network.by_mac import Listing
from agent.network.nics import Nic


@dataclass(frozen=True)
class MatchedHost:
    """A host that may take part. `intent`: its entry in the inputs; None where the inputs list no hosts at all."""

    host: Host
    intent: HostIntent | None


@dataclass(frozen=True)
class UnmatchedHost:
    """A host that must not take part. `why`: a clause without a full stop, "it was unbound from the cluster"."""

    host: Host
    why: str


@dataclass(frozen=True)
class Matching:
    matched: tuple[MatchedHost, ...]
    unmatched: tuple[UnmatchedHost, ...]


def match(intent: ClusterIntent, hosts: tuple[Host, ...]) -> Matching:
    """Match every host that has sent its inventory. If two hosts match the same entry, the first of `hosts` gets it.

    If the inputs list no hosts, every host takes part.
    """
    matched: list[MatchedHost] = []
    unmatched: list[UnmatchedHost] = []
    listing = Listing(intent.hosts)
    owners: dict[int, Host] = {}  # by index of the entry
    for host in hosts:
        inventory = host.decode_inventory()
        if inventory is None:
            continue
        if host.cluster_id is msgspec.UNSET:
            unmatched.append(UnmatchedHost(host, "it was unbound from the cluster"))
        elif not intent.hosts:
            matched.append(MatchedHost(host, None))
        elif (entry := listing.match(nics_of(inventory))).index < 0:
            unmatched.append(UnmatchedHost(host, entry.why))
        elif (owner := owners.setdefault(entry.index, host)) is not host:
            unmatched.append(UnmatchedHost(host, f"{entry.why}, but host {owner.id} has this entry already"))
        else:
            matched.append(MatchedHost(host, intent.hosts[entry.index]))
    return Matching(tuple(matched), tuple(unmatched))


def nics_of(inventory: Inventory) -> list[Nic]:
    """The NICs of an inventory, as hosts are matched by them."""
    return [Nic(nic.name, nic.mac_address.lower()) for nic in inventory.interfaces if nic.mac_address]
