"""Does every peer that the host reaches also reach the host? A wrong route or filter often stops one direction only."""

from __future__ import annotations

from node0.validations.engine.facts import HAS_PEERS_WORDS, HostFacts, few, has_peers, report_missing
from node0.validations.engine.validation import Category, Gate, Validation, Verdict, failure, success


def check(facts: HostFacts) -> Verdict:
    one_way = [
        f"{facts.host.label} reaches {peer.label}, but {peer.label} does not reach {facts.host.label}"
        for peer in facts.peers
        if facts.host.id in peer.unreachable and peer.id not in facts.host.unreachable
    ]
    if not one_way:
        return success("No path works in one direction only.")
    return failure(
        f"{few(one_way, separator='; ')}.",
        "Check the routes and the reverse path filter (rp_filter) of both hosts, and any packet filter between them.",
    )


VALIDATION = Validation(
    id="reverse-path-valid",
    category=Category.NETWORK,
    gate=Gate.SUFFICIENT,
    check=check,
    applies=has_peers,
    when=HAS_PEERS_WORDS,
    waits_for=report_missing,
)
