"""The ring that gives each host its peers when there are too many hosts to check all pairs."""

from __future__ import annotations

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.model.intent import Role
from node0.reconcile.peers import ALL_PAIRS_UP_TO, NEIGHBOURS, Ring, assign_peers
from node0.store.host_diff import diff_hosts
from node0.store.records import HostRecord
from tests.fakes.node0.records import host


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.integers(0, ALL_PAIRS_UP_TO + 15), st.booleans(), st.booleans()), max_size=30))
def test_an_updated_ring_is_the_ring_made_at_once(happened: list[tuple[int, bool, bool]]) -> None:
    """The history starts with the largest number of hosts that check all pairs."""
    start = {id: host(id=id, role=Role.WORKER) for id in map(str, range(100, 100 + ALL_PAIRS_UP_TO))}
    hosts = assign_peers(start, ring := Ring.of(start), start)
    for number, takes_part, leads in happened:
        changed = host(id=str(100 + number), approved=takes_part, role=Role.MASTER if leads else Role.WORKER)
        after = {**hosts, changed.id: msgspec.structs.replace(changed, peers=_peers(hosts, changed.id))}
        hosts = {**after, **assign_peers(after, ring, ring.update(diff_hosts(hosts, after)))}
    assert assign_peers(hosts, Ring.of(hosts), hosts) == {}
    assert all(len(found.peers) >= NEIGHBOURS for found in hosts.values() if found.approved)


def _peers(hosts: dict[str, HostRecord], id: str) -> tuple[str, ...]:
    return hosts[id].peers if id in hosts else ()
