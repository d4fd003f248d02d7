"""Is the latency to hosts of the same role low enough? Control planes: 100 ms on average; workers: 1000 ms."""

from __future__ import annotations

from node0.validations.engine.facts import HAS_PEERS_WORDS, HostFacts, few, has_peers, report_missing
from node0.validations.engine.validation import Category, Gate, Validation, Verdict, failure, success
from node0.validations.host.peers.echoes import echoes_of_role


def check(facts: HostFacts) -> Verdict:
    limit = facts.needs.rtt_ms
    slow = [
        f"{name} at {echo.remote_ip_address}: {echo.average_rtt_ms:.1f} ms"
        for name, echo in echoes_of_role(facts)
        if echo.average_rtt_ms > limit
    ]
    if not slow:
        return success(f"The latency to every host of the same role is at most {limit:g} ms.")
    return failure(
        f"Latency above {limit:g} ms: {few(slow, separator='; ')}.", "Find the slow link; a WAN is too slow for etcd."
    )


VALIDATION = Validation(
    id="sufficient-network-latency-requirement-for-role",
    category=Category.NETWORK,
    gate=Gate.SUFFICIENT,
    check=check,
    applies=has_peers,
    when=HAS_PEERS_WORDS,
    waits_for=report_missing,
)
