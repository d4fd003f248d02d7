"""Is the packet loss to hosts of the same role low enough? Control planes may lose no packet, workers at most 10 %."""

from __future__ import annotations

from node0.validations.engine.facts import HAS_PEERS_WORDS, HostFacts, few, has_peers, report_missing
from node0.validations.engine.validation import Category, Gate, Validation, Verdict, failure, success
from node0.validations.host.peers.echoes import echoes_of_role


def check(facts: HostFacts) -> Verdict:
    limit = facts.needs.loss_percent
    lossy = [
        f"{name} at {echo.remote_ip_address}: {echo.packet_loss_percentage:g} %"
        for name, echo in echoes_of_role(facts)
        if echo.packet_loss_percentage > limit
    ]
    if not lossy:
        return success(f"The packet loss to every host of the same role is at most {limit:g} %.")
    return failure(
        f"Packet loss above {limit:g} %: {few(lossy, separator='; ')}.",
        "Check cables, duplex settings and switch ports between the hosts.",
    )


VALIDATION = Validation(
    id="sufficient-packet-loss-requirement-for-role",
    category=Category.NETWORK,
    gate=Gate.SUFFICIENT,
    check=check,
    applies=has_peers,
    when=HAS_PEERS_WORDS,
    waits_for=report_missing,
)
