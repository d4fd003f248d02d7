"""The largest group of hosts in which each reaches each, as far as they have told."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from node0.store.records import HostRecord


def majority(hosts: Sequence[HostRecord]) -> frozenset[str]:
    """Ids of the group. One direction that fails parts a pair: upstream's rule, for a cluster needs both.

    Whoever is cut off from most is left out first. That is not always the largest group there is, which would take too
    long to find, but it is where one host, or one switch, is at fault.
    """
    apart: dict[str, set[str]] = defaultdict(set)
    ids = {host.id for host in hosts}
    for host in hosts:
        for other in ids.intersection(host.unreachable):
            apart[host.id].add(other)
            apart[other].add(host.id)
    while apart:
        worst = max(sorted(apart), key=lambda id: len(apart[id]))
        for other in apart.pop(worst):
            apart[other].discard(worst)
            if not apart[other]:
                del apart[other]
        ids.discard(worst)
    return frozenset(ids)
