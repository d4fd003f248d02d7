"""How many hosts share a host name, a machine id or a product UUID."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from node0.store.records import HostRecord


class SameIdentity(NamedTuple):
    """How many hosts that take part have a host's name, machine id and product UUID; itself counts if it takes part."""

    hostname: int = 1
    machine_id: int = 1
    product_uuid: int = 1


UNIQUE = SameIdentity()


class IdentityIndex:
    """Which hosts have each host name (in lower case), machine id and product UUID, and which of them take part."""

    def __init__(self) -> None:
        self._hosts: defaultdict[tuple[str, str], dict[str, bool]] = defaultdict(dict)

    @classmethod
    def of(cls, hosts: Iterable[HostRecord]) -> IdentityIndex:
        index = cls()
        for host in hosts:
            index.update(None, host)
        return index

    def update(self, old: HostRecord | None, new: HostRecord | None) -> set[str]:
        """Replace a host; returns the ids of the hosts that share an identifier that changed."""
        before, after = _entries(old), _entries(new)
        if old is not None:
            for identifier, _ in before - after:
                del self._hosts[identifier][old.id]
        if new is not None:
            for identifier, takes_part in after - before:
                self._hosts[identifier][new.id] = takes_part
        return {id for identifier, _ in before ^ after for id in self._hosts[identifier]}

    def counts(self, host: HostRecord) -> SameIdentity:
        return SameIdentity(*(sum(self._hosts.get(identifier, {}).values()) for identifier in _identifiers(host)))


def _entries(host: HostRecord | None) -> set[tuple[tuple[str, str], bool]]:
    """The identifiers that a host reports, and whether it takes part."""
    return {(item, host.approved) for item in _identifiers(host) if item[1]} if host is not None else set()


def _identifiers(host: HostRecord) -> tuple[tuple[str, str], tuple[str, str], tuple[str, str]]:
    """In the order of `SameIdentity`."""
    machine_id, product_uuid = "", ""
    if host.inventory is not None:
        machine_id, product_uuid = host.inventory.machine_id, host.inventory.system_vendor.product_uuid.lower()
    return ("host name", host.hostname.lower()), ("machine id", machine_id), ("product UUID", product_uuid)
