"""Is the host in the largest group of hosts that all reach each other? Two hosts have to reach each other."""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Sequence

from node0.store.records import HostRecord
from node0.validations.engine.facts import HAS_PEERS_WORDS, HostFacts, few, has_peers, report_missing
from node0.validations.engine.validation import Category, Gate, Validation, Verdict, failure, success

SMALLEST_GROUP = 3


def check(facts: HostFacts) -> Verdict:
    smallest = min(SMALLEST_GROUP, len(facts.peers) + 1)
    if facts.host.id in facts.majority and len(facts.majority) >= smallest:
        return success("The host and the other hosts reach each other.")
    cut_off = [peer.label for peer in facts.peers if facts.host.id in peer.unreachable]
    unreached = [facts.name_of(peer) for peer in facts.host.unreachable]
    words = [f"does not reach {few(unreached)}"] if unreached else []
    words += [f"is not reached by {few(cut_off)}"] if cut_off else []
    return failure(
        f"The host {' and '.join(words) or 'is in no group of hosts that reach each other'}.",
        "Check its cables, switch port, VLAN and routes.",
    )


VALIDATION = Validation(
    id="belongs-to-majority-group",
    category=Category.NETWORK,
    gate=Gate.SUFFICIENT,
    check=check,
    applies=has_peers,
    when=HAS_PEERS_WORDS,
    waits_for=report_missing,
)


def majority_group(hosts: Sequence[HostRecord]) -> frozenset[str]:
    """Ids of the largest group of hosts in which each reaches each, as far as they have reported.

    A pair is apart if either direction fails: the cluster needs both. Source: assisted-service. The host that is cut
    off from most others is left out first. That does not always find the largest group, which would take too long, but
    it does where one host or one switch is at fault.
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
        if -count != len(apart[worst]):  # outdated: a later entry has what is left
            continue
        ids.discard(worst)
        for other in apart.pop(worst):
            apart[other].discard(worst)
            heapq.heappush(worst_first, (-len(apart[other]), other))
    return frozenset(ids)
