"""Are the networks of the host's NICs disjoint? With two NICs in one network, the kernel answers from either."""

from __future__ import annotations

from ipaddress import ip_interface
from itertools import combinations

from node0.validations.engine.facts import HostFacts, inventory_missing
from node0.validations.engine.validation import Category, Gate, Validation, Verdict, failure, success


def check(facts: HostFacts) -> Verdict:
    networks = {
        (nic.name, ip_interface(address).network)
        for nic in facts.inventory.interfaces
        for address in nic.ipv4_addresses + nic.ipv6_addresses
    }
    overlapping = [
        f"{network} on {name} and {other_network} on {other}"
        for (name, network), (other, other_network) in combinations(sorted(networks, key=str), 2)
        if name != other and network.version == other_network.version and network.overlaps(other_network)
    ]
    if not overlapping:
        return success("No two NICs are in one network.")
    return failure(f"Overlapping: {'; '.join(overlapping)}.", "Give each NIC its own network, or bond them.")


VALIDATION = Validation(
    id="non-overlapping-subnets",
    category=Category.NETWORK,
    gate=Gate.SUFFICIENT,
    check=check,
    waits_for=inventory_missing,
)
