"""Which hosts of the inputs have come, by the MAC addresses in their inventories."""

from __future__ import annotations

import msgspec

from agent.api.intent import ClusterIntent, HostIntent
from agent.api.inventory import Inventory
from agent.api.resources import Cluster, Host


def missing_hosts(cluster: Cluster, intent: ClusterIntent) -> tuple[HostIntent, ...]:
    """The hosts of the inputs that none of the registered ones is. One without an inventory may be any of them."""
    present: set[str] = set()
    unknown = 0
    for host in cluster.hosts:
        macs = _macs(host)
        present |= macs
        unknown += not macs
    absent = [host for host in intent.hosts if not any(nic.mac in present for nic in host.interfaces)]
    return tuple(absent) if len(absent) > unknown else ()


def _macs(host: Host) -> set[str]:
    if not host.inventory:
        return set()
    inventory = msgspec.json.decode(host.inventory, type=Inventory)
    return {nic.mac_address.lower() for nic in inventory.interfaces}
