"""What the validations may know. Nothing in here is read from the machine: it is all in the records already."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from agent.api.intent import Role
from agent.api.inventory import Inventory
from node0.store.records import ClusterRecord, HostRecord
from node0.validations import requirements
from node0.validations.requirements import Requirements


@dataclass(frozen=True)
class HostFacts:
    """One host among the others.

    names: how many of the hosts that take part have each host name, in lower case.
    is_silent: it has not called for longer than is allowed.
    """

    host: HostRecord
    cluster: ClusterRecord | None
    names: Mapping[str, int]
    is_silent: bool

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


@dataclass(frozen=True)
class ClusterFacts:
    """`hosts`: the approved ones."""

    cluster: ClusterRecord
    hosts: tuple[HostRecord, ...]

    @cached_property
    def roles(self) -> Counter[Role]:
        return Counter(host.effective_role for host in self.hosts)
