"""What validations know. All of it comes from the records; nothing here is read from a machine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from agent.model.intent import Role
from agent.model.inventory import Inventory
from node0.store.records import ClusterRecord, HostRecord
from node0.validations.engine import requirements
from node0.validations.engine.identities import UNIQUE, SameIdentity
from node0.validations.engine.requirements import Requirements


@dataclass(frozen=True)
class HostFacts:
    """One host among the others.

    is_unresponsive: it has not checked in for longer than the limit.
    peers: the hosts that it has to reach.
    majority: ids of the largest group of hosts in which each reaches each.
    """

    host: HostRecord
    cluster: ClusterRecord | None
    is_unresponsive: bool = False
    same_identity: SameIdentity = UNIQUE
    peers: tuple[HostRecord, ...] = ()
    majority: frozenset[str] = frozenset()

    @property
    def has_inventory(self) -> bool:
        return self.host.inventory is not None

    @property
    def inventory(self) -> Inventory:
        """Only where `has_inventory` holds."""
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
    def unreported_peers(self) -> tuple[str, ...]:
        """Names of the peers that are not in the connectivity report yet."""
        return tuple(self.name_of(peer) for peer in self.host.unreported_peers)

    @cached_property
    def _names(self) -> dict[str, str]:
        return {peer.id: peer.label for peer in self.peers}

    def name_of(self, host_id: str) -> str:
        """A peer's name in messages."""
        return self._names.get(host_id, host_id)


def inventory_missing(facts: HostFacts) -> str:
    """For `Validation.waits_for`."""
    return "" if facts.has_inventory else "the inventory"


def report_missing(facts: HostFacts) -> str:
    """For `Validation.waits_for`: the connectivity report has to cover every peer."""
    return f"connectivity to {few(facts.unreported_peers)}" if facts.unreported_peers else ""


def few(found: Sequence[str], *, separator: str = ", ", most: int = 8) -> str:
    """The first of `found`, and how many more there are: a message never lists a thousand hosts."""
    more = f" and {len(found) - most} more" if len(found) > most else ""
    return separator.join(found[:most]) + more


def has_peers(facts: HostFacts) -> bool:
    """For `Validation.applies`."""
    return bool(facts.host.peers)


HAS_PEERS_WORDS = "more than one host takes part"


@dataclass(frozen=True)
class ClusterFacts:
    """`hosts`: the approved ones."""

    cluster: ClusterRecord
    hosts: tuple[HostRecord, ...]

    @cached_property
    def roles(self) -> Counter[Role]:
        return Counter(host.effective_role for host in self.hosts)
