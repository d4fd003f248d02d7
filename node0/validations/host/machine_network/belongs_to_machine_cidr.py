"""Does the host have an address in a machine network?"""

from __future__ import annotations

from ipaddress import ip_interface, ip_network

from node0.validations.engine.facts import HostFacts
from node0.validations.engine.validation import Category, Gate, Validation, Verdict, failure, pending, success


def check(facts: HostFacts) -> Verdict:
    if not facts.has_inventory or facts.cluster is None:
        return pending("Waiting for the inventory.")
    networks = [entry.cidr for entry in facts.cluster.spec.machine_networks]
    addresses = [
        address
        for interface in facts.inventory.interfaces
        for address in interface.ipv4_addresses + interface.ipv6_addresses
    ]
    for cidr in networks:
        for address in addresses:
            if ip_interface(address).ip in ip_network(cidr):
                return success(f"{address} is in the machine network {cidr}.")
    return failure(
        f"None of the addresses {', '.join(addresses) or '(none)'} is in the machine network {', '.join(networks)}.",
        "Correct networking.machineNetwork in install-config.yaml or the host's networkConfig.",
    )


VALIDATION = Validation(
    id="belongs-to-machine-cidr",
    category=Category.NETWORK,
    gate=Gate.SUFFICIENT,
    check=check,
    applies=lambda facts: facts.cluster is None or bool(facts.cluster.spec.machine_networks),
    when="a machine network is given",
)
