"""The ping results from which latency and loss are evaluated: those of peers of the same role that answer."""

from __future__ import annotations

from collections.abc import Iterator

from agent.api.checks import L3Connectivity
from node0.validations.engine.facts import HostFacts


def echoes_of_role(facts: HostFacts) -> Iterator[tuple[str, L3Connectivity]]:
    """Name of the peer, and one ping result. Another validation covers peers that do not answer."""
    names = {peer.id: peer.label for peer in facts.same_role_peers}
    if facts.host.connectivity is None:
        return
    for remote in facts.host.connectivity.remote_hosts:
        if remote.host_id in names:
            yield from ((names[remote.host_id], echo) for echo in remote.l3_connectivity if echo.successful)
