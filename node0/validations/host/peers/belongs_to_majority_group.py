"""Does the host reach, and is it reached by, those that most others reach? Two hosts have to reach each other."""

from __future__ import annotations

from node0.validations.engine.facts import PEERS_WORDS, HostFacts, has_peers, report_missing
from node0.validations.engine.validation import Category, Gate, Rule, Verdict, failure, success

SMALLEST_GROUP = 3


def check(facts: HostFacts) -> Verdict:
    smallest = min(SMALLEST_GROUP, len(facts.peers) + 1)
    if facts.host.id in facts.majority and len(facts.majority) >= smallest:
        return success("The host and the other hosts reach each other.")
    cut_off = [peer.label for peer in facts.peers if facts.host.id in peer.unreachable]
    unreached = [facts.name_of(peer) for peer in facts.host.unreachable]
    words = [f"does not reach {', '.join(unreached)}"] if unreached else []
    words += [f"is not reached by {', '.join(cut_off)}"] if cut_off else []
    return failure(
        f"The host {' and '.join(words) or 'is in no group of hosts that reach each other'}.",
        "Check its cables, switch port, VLAN and routes.",
    )


RULE = Rule(
    id="belongs-to-majority-group",
    category=Category.NETWORK,
    gate=Gate.SUFFICIENT,
    check=check,
    applies=has_peers,
    when=PEERS_WORDS,
    waits_for=report_missing,
)
