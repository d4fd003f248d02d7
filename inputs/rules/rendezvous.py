"""The rendezvous address is one that a control-plane host has: that host becomes node0."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator

from inputs.document.findings import Finding
from inputs.document.source import Place
from inputs.facts.facts import RENDEZVOUS_IP, Facts
from inputs.facts.hosts import ADDRESSING, ROLE, HostFacts


def rendezvous_address(facts: Facts) -> Iterator[Finding]:
    place = facts.rendezvous
    if place is None:
        yield from _missing(facts)
        return
    yield from _in_a_machine_network(place, facts)
    yield from _owned_by_a_control_plane_host(place, facts)


def _missing(facts: Facts) -> Iterator[Finding]:
    if facts.agent.has_errors(RENDEZVOUS_IP) or facts.agent.source.is_absent:
        return
    if not any(host.interfaces_have_errors(*ADDRESSING) for host in facts.hosts):
        yield facts.agent.finding(
            None, "rendezvous-missing",
            "`rendezvousIP` is missing, and no control-plane host has a static address to use for it.",
            "Add rendezvousIP: the address of the host that leads the install.",
        )  # fmt: skip


def _in_a_machine_network(place: Place[str], facts: Facts) -> Iterator[Finding]:
    networks = facts.machine_networks
    if networks and not any(ipaddress.ip_address(place.value) in network for network in networks):
        yield place.error(
            "rendezvous-outside-machine-network",
            f"{place.value} is in none of the machine networks ({', '.join(map(str, networks))}).",
            "Write the address of node0, or correct networking.machineNetwork in install-config.yaml.",
        )


def _owned_by_a_control_plane_host(place: Place[str], facts: Facts) -> Iterator[Finding]:
    owner = _owner(place.value, facts.hosts)
    if owner is not None and owner.get(ROLE, "") == "worker":
        yield place.error(
            "rendezvous-on-worker",
            f"{place.value} belongs to {owner.name}, which is a worker.",
            "node0 must be a control-plane host: write the address of one.",
        )
    if owner is None and facts.hosts and not any(host.has_unknown_addresses for host in facts.hosts):
        yield place.error(
            "rendezvous-on-no-host",
            f"No host in `hosts` has the address {place.value}, so none would become node0.",
            "Write the address of one of the control-plane hosts, or give it to one in its networkConfig.",
        )


def _owner(address: str, hosts: tuple[HostFacts, ...]) -> HostFacts | None:
    rendezvous = ipaddress.ip_address(address)
    return next((host for host in hosts if any(own.address.ip == rendezvous for own in host.addresses)), None)
