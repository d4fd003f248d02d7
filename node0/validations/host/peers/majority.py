"""The largest group of hosts in which each reaches each, as far as they have told."""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Sequence

from node0.store.records import HostRecord


def majority(hosts: Sequence[HostRecord]) -> frozenset[str]:
    """Ids of the group. One direction that fails parts a pair: upstream's rule, for a cluster needs both.

    Whoever is cut off from most is left out first. That is not always the largest group there is, which would take too
    long to find, but it is where one host, or one switch, is at fault.
    """
    ids = {host.id for host in hosts}
    apart: defaultdict[str, set[str]] = defaultdict(set)
    for host in hosts:
        for other in ids.intersection(host.unreachable):
            apart[host.id].add(other)
            apart[other].add(host.id)
    worst_first = [(-len(others), id) for id, others in apart.items()]
    heapq.heapify(worst_first)
    while worst_first and worst_first[0][0] < 0:
        count, worst = heapq.heappop(worst_first)
        if -count != len(apart[worst]):  # it is in there again, with what is left
            continue
        ids.discard(worst)
        for other in apart.pop(worst):
            apart[other].discard(worst)
            heapq.heappush(worst_first, (-len(apart[other]), other))
    return frozenset(ids)
