"""What the validations may know. Nothing in here is read from the machine: it is all in the records already."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from agent.api.intent import Role
from agent.api.inventory import Inventory
from node0.store.records import ClusterRecord, HostRecord
from node0.validations import requirements
from node0.validations.requirements import Requirements


@dataclass(frozen=True)
class Census:
    """How many of the hosts that take part have each host name (in lower case), machine id and product UUID."""

    names: Counter[str] = field(default_factory=Counter)
    machine_ids: Counter[str] = field(default_factory=Counter)
    product_uuids: Counter[str] = field(default_factory=Counter)

    @classmethod
    def of(cls, hosts: Iterable[HostRecord]) -> Census:
        """Of approved hosts."""
        census = cls()
        for host in hosts:
            census.names[host.hostname.lower()] += 1
            if host.inventory is not None:
                census.machine_ids[host.inventory.machine_id] += 1
                census.product_uuids[host.inventory.system_vendor.product_uuid.lower()] += 1
        return census

    def shared(self, host: HostRecord) -> tuple[int, int, int]:
        """How many hosts have this one's name, machine id and product UUID."""
        if host.inventory is None:
            return self.names[host.hostname.lower()], 0, 0
        return (
            self.names[host.hostname.lower()],
            self.machine_ids[host.inventory.machine_id],
            self.product_uuids[host.inventory.system_vendor.product_uuid.lower()],
        )


@dataclass(frozen=True)
class HostFacts:
    """One host among the others.

    shared: how many of the hosts that take part have its name, its machine id and its product UUID, itself included.
    is_silent: it has not called for longer than is allowed.
    peers: the hosts it has to reach. majority: ids of the largest group of hosts in which each reaches each.
    """

    host: HostRecord
    cluster: ClusterRecord | None
    is_silent: bool = False
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
