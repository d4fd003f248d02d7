"""What the validations may know. Nothing in here is read from the machine: it is all in the records already."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from agent.model.intent import Role
from agent.model.inventory import Inventory
from node0.store.records import ClusterRecord, HostRecord
from node0.validations.engine import requirements
from node0.validations.engine.requirements import Requirements


class Census:
    """Which hosts have each host name (in lower case), machine id and product UUID, and which of them take part."""

    def __init__(self) -> None:
        self._bearers: defaultdict[tuple[str, str], dict[str, bool]] = defaultdict(dict)

    @classmethod
    def of(cls, hosts: Iterable[HostRecord]) -> Census:
        census = cls()
        for host in hosts:
            census.move(None, host)
        return census

    def move(self, old: HostRecord | None, new: HostRecord | None) -> set[str]:
        """A host is another than before; gives the ids of all that share with it what is different now."""
        before, after = _borne(old), _borne(new)
        if old is not None:
            for name, _ in before - after:
                del self._bearers[name][old.id]
        if new is not None:
            for name, takes_part in after - before:
                self._bearers[name][new.id] = takes_part
        return {id for name, _ in before ^ after for id in self._bearers[name]}

    def shared(self, host: HostRecord) -> tuple[int, int, int]:
        """How many hosts that take part have this one's name, machine id and product UUID."""
        name, machine_id, product_uuid = (sum(self._bearers.get(name, {}).values()) for name in _names(host))
        return name, machine_id, product_uuid


def _borne(host: HostRecord | None) -> set[tuple[tuple[str, str], bool]]:
    """What a host is called, and whether it takes part; nothing that it does not tell."""
    return {(name, host.approved) for name in _names(host) if name[1]} if host is not None else set()


def _names(host: HostRecord) -> tuple[tuple[str, str], tuple[str, str], tuple[str, str]]:
    machine_id, product_uuid = "", ""
    if host.inventory is not None:
        machine_id, product_uuid = host.inventory.machine_id, host.inventory.system_vendor.product_uuid.lower()
    return ("host name", host.hostname.lower()), ("machine id", machine_id), ("product UUID", product_uuid)


@dataclass(frozen=True)
class HostFacts:
    """One host among the others.

    shared: how many of the hosts that take part have its name, its machine id and its product UUID, itself included.
    is_unresponsive: it has not called for longer than is allowed.
    peers: the hosts it has to reach. majority: ids of the largest group of hosts in which each reaches each.
    """

    host: HostRecord
    cluster: ClusterRecord | None
    is_unresponsive: bool = False
    shared: tuple[int, int, int] = (1, 1, 1)
    peers: tuple[HostRecord, ...] = ()
    majority: frozenset[str] = frozenset()

    @property
    def has_inventory(self) -> bool:
        return self.host.inventory is not None

    @property
    def inventory(self) -> Inventory:
        """Ask only where `has_inventory` holds."""
        assert self.host.inventory is not None
        return self.host.inventory

    @property
    def needs(self) -> Requirements:
        return requirements.of(is_control_plane=self.host.is_control_plane)

    @property
    def role_words(self) -> str:
        return "a control-plane host" if self.host.is_control_plane else "a worker"

    @property
    def same_role_peers(self) -> tuple[HostRecord, ...]:
        return tuple(peer for peer in self.peers if peer.is_control_plane == self.host.is_control_plane)

    @cached_property
    def untold(self) -> tuple[str, ...]:
        """Names of peers that the connectivity report says nothing about yet."""
        return tuple(self.name_of(peer) for peer in self.host.peers_untold)

    @cached_property
    def _names(self) -> dict[str, str]:
        return {peer.id: peer.label for peer in self.peers}

    def name_of(self, host_id: str) -> str:
        """A peer as messages call it."""
        return self._names.get(host_id, host_id)


def inventory_missing(facts: HostFacts) -> str:
    """For `Rule.waits_for`."""
    return "" if facts.has_inventory else "the inventory"


def report_missing(facts: HostFacts) -> str:
    """For `Rule.waits_for`: the connectivity report has to tell of every peer."""
    return f"connectivity to {few(facts.untold)}" if facts.untold else ""


def few(names: Sequence[str]) -> str:
    """The first of `names`, and how many more there are: a message is no list of a thousand hosts."""
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more


def has_peers(facts: HostFacts) -> bool:
    """For `Rule.applies`."""
    return bool(facts.host.peers)


SHOWN = 8
PEERS_WORDS = "more than one host takes part"


@dataclass(frozen=True)
class ClusterFacts:
    """`hosts`: the approved ones."""

    cluster: ClusterRecord
    hosts: tuple[HostRecord, ...]

    @cached_property
    def roles(self) -> Counter[Role]:
        return Counter(host.effective_role for host in self.hosts)
