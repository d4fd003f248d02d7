"""Is the host the only machine that answers for its addresses? Its peers probe the addresses and report who answers."""

from __future__ import annotations

from collections import defaultdict

from node0.validations.engine.facts import HAS_PEERS_WORDS, HostFacts, few, has_peers, inventory_missing
from node0.validations.engine.validation import Category, Gate, Validation, Verdict, failure, success


def check(facts: HostFacts) -> Verdict:
    answering: dict[str, set[str]] = defaultdict(set)
    for peer in facts.peers:
        for remote in peer.connectivity.remote_hosts if peer.connectivity else ():
            if remote.host_id == facts.host.id:
                for answer in remote.l2_connectivity:
                    answering[answer.remote_ip_address] |= {answer.remote_mac.lower()} - {""}
    own = {nic.mac_address.lower() for nic in facts.inventory.interfaces}
    taken = {address: macs - own for address, macs in answering.items() if macs - own}
    if not taken:
        return success("No other machine answers for the host's addresses.")
    words = few(
        [f"{address} is answered by {few(sorted(macs))}" for address, macs in sorted(taken.items())], separator="; "
    )
    return failure(
        f"{words}. The host's own MAC addresses: {few(sorted(own))}.",
        "Find the other machine, or change the address.",
    )


VALIDATION = Validation(
    id="no-ip-collisions-in-network",
    category=Category.NETWORK,
    gate=Gate.SUFFICIENT,
    check=check,
    applies=has_peers,
    when=HAS_PEERS_WORDS,
    waits_for=inventory_missing,
)
