"""Whether values fit together: one question a file, all asked in every run. The list is the order of asking."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from image_build.inputs.findings import Finding
from image_build.inputs.rules.addresses import addresses_in_the_machine_network
from image_build.inputs.rules.bond_modes import bond_options_fit
from image_build.inputs.rules.dns import dns_servers_are_reachable
from image_build.inputs.rules.duplicates import duplicates
from image_build.inputs.rules.facts import Facts
from image_build.inputs.rules.interface_types import interface_types_fit
from image_build.inputs.rules.interfaces import interfaces_agree
from image_build.inputs.rules.ip_settings import ip_settings_are_clear
from image_build.inputs.rules.networks import networks_are_disjoint, pod_network_is_large_enough
from image_build.inputs.rules.ports import ports_fit
from image_build.inputs.rules.rendezvous import rendezvous_address
from image_build.inputs.rules.replicas import control_plane_has_a_majority, hosts_match_replicas
from image_build.inputs.rules.routes import routes_are_usable
from image_build.inputs.rules.vlans import vlans_have_parents

Rule = Callable[[Facts], Iterator[Finding]]

RULES: tuple[Rule, ...] = (
    networks_are_disjoint,
    pod_network_is_large_enough,
    control_plane_has_a_majority,
    hosts_match_replicas,
    rendezvous_address,
    duplicates,
    interfaces_agree,
    interface_types_fit,
    ports_fit,
    bond_options_fit,
    vlans_have_parents,
    ip_settings_are_clear,
    addresses_in_the_machine_network,
    routes_are_usable,
    dns_servers_are_reachable,
)
