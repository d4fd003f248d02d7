"""Are the networks of the host's NICs disjoint? With two NICs in one network, the kernel answers from either."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from ipaddress import IPv4Network, IPv6Network, ip_interface

from node0.validations.engine.facts import HostFacts, few, inventory_missing
from node0.validations.engine.validation import Category, Gate, Validation, Verdict, failure, success

Network = IPv4Network | IPv6Network


def check(facts: HostFacts) -> Verdict:
    nics: defaultdict[Network, set[str]] = defaultdict(set)
    for nic in facts.inventory.interfaces:
        for address in nic.ipv4_addresses + nic.ipv6_addresses:
            nics[ip_interface(address).network].add(nic.name)
    overlapping = [*_shared(nics), *_nested(nics)]
    if not overlapping:
        return success("No two NICs are in one network.")
    return failure(f"Overlapping: {few(overlapping, separator='; ')}.", "Give each NIC its own network, or bond them.")


def _shared(nics: Mapping[Network, set[str]]) -> Iterator[str]:
    """The networks that several NICs have."""
    for network, names in nics.items():
        if len(names) > 1:
            first, *others = sorted(names)
            yield f"{network} on {first} and {network} on {few(others)}"


def _nested(nics: Mapping[Network, set[str]]) -> Iterator[str]:
    """The networks inside a network of another NIC. Two networks never overlap in any other way.

    Sorted by their first address, all networks around one come before it, and each is inside the one before it: at
    most one for each length of a prefix.
    """
    around: list[Network] = []
    for network in sorted(nics, key=lambda network: (network.version, network)):
        while around and not (around[-1].version == network.version and around[-1].overlaps(network)):
            around.pop()
        for outer in reversed(around):
            if others := sorted(nics[outer] - nics[network]):
                yield f"{network} on {min(nics[network])} and {outer} on {few(others)}"
                break
        around.append(network)


VALIDATION = Validation(
    id="non-overlapping-subnets",
    category=Category.NETWORK,
    gate=Gate.SUFFICIENT,
    check=check,
    waits_for=inventory_missing,
)
