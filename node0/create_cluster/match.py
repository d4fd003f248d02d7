"""Which registered host is which of the inputs: by the same rule the host itself went by when it set up its network."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from agent.api.hosts import Host
from agent.model.intent import ClusterIntent, HostIntent
from agent.network.by_mac import Listing
from agent.network.nics import Nic


@dataclass(frozen=True)
class Matched:
    """`wanted` is None for a host that takes part although the inputs list no hosts at all."""

    host: Host
    wanted: HostIntent | None


@dataclass(frozen=True)
class Stranger:
    """A host that must not take part, and why."""

    host: Host
    why: str


def match(intent: ClusterIntent, hosts: tuple[Host, ...]) -> list[Matched | Stranger]:
    """Every host that has sent its inventory. Of two that claim the same place, the one that came first has it."""
    found: list[Matched | Stranger] = []
    taken: dict[int, Host] = {}
    listing = Listing(intent.hosts)
    for host in hosts:
        inventory = host.decode_inventory()
        if inventory is None:
            continue
        if host.cluster_id is msgspec.UNSET:
            found.append(Stranger(host, "it was unbound from the cluster"))
            continue
        if not intent.hosts:
            found.append(Matched(host, None))
            continue
        nics = [Nic(nic.name, nic.mac_address.lower()) for nic in inventory.interfaces if nic.mac_address]
        place = listing.match(nics)
        if place.index < 0:
            found.append(Stranger(host, place.why))
        elif (first := taken.setdefault(place.index, host)) is not host:
            found.append(Stranger(host, f"{place.why}, but host {first.id} has that place already"))
        else:
            found.append(Matched(host, intent.hosts[place.index]))
    return found
