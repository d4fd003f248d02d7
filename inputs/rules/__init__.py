"""Whether values are consistent with each other: one subject a file. `INPUT_RULES` run in this order, all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from inputs.document.findings import Finding
from inputs.facts.facts import Facts
from inputs.rules.access import ssh_settings_agree
from inputs.rules.addresses import addresses_in_the_machine_network
from inputs.rules.bond_modes import bond_options_fit
from inputs.rules.dns import dns_servers_are_reachable
from inputs.rules.duplicates import duplicates
from inputs.rules.families import network_families_fit
from inputs.rules.ignition_overrides import overrides_are_ignition
from inputs.rules.image_sources import mirrors_are_given_once, mirrors_keep_the_path, registries_have_one_policy
from inputs.rules.install_config_hosts import hosts_are_in_one_file
from inputs.rules.interface_types import interface_types_fit
from inputs.rules.interfaces import interfaces_agree
from inputs.rules.ip_settings import ip_settings_are_clear
from inputs.rules.kubeadm_patches import patches_leave_the_rest_alone
from inputs.rules.machine_network import machine_network_is_known
from inputs.rules.names import names_agree
from inputs.rules.network_type import network_plugin_is_named_once
from inputs.rules.networks import networks_are_disjoint, networks_are_of_a_usable_kind, pod_network_is_large_enough
from inputs.rules.platform import one_platform_is_chosen
from inputs.rules.ports import ports_fit
from inputs.rules.rendezvous import rendezvous_address
from inputs.rules.replicas import control_plane_has_a_majority, hosts_match_replicas
from inputs.rules.routes import routes_are_usable
from inputs.rules.site_addresses import site_addresses_are_hosts, site_is_outside_of_the_cluster
from inputs.rules.trust_bundle import certificates_hold
from inputs.rules.vips import virtual_addresses_are_free
from inputs.rules.vlans import vlans_have_parents

InputRule = Callable[[Facts], Iterator[Finding]]

INPUT_RULES: tuple[InputRule, ...] = (
    names_agree,
    one_platform_is_chosen,
    machine_network_is_known,
    networks_are_of_a_usable_kind,
    networks_are_disjoint,
    site_addresses_are_hosts,
    site_is_outside_of_the_cluster,
    pod_network_is_large_enough,
    network_families_fit,
    control_plane_has_a_majority,
    hosts_match_replicas,
    hosts_are_in_one_file,
    rendezvous_address,
    virtual_addresses_are_free,
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
    network_plugin_is_named_once,
    mirrors_are_given_once,
    mirrors_keep_the_path,
    registries_have_one_policy,
    certificates_hold,
    overrides_are_ignition,
    ssh_settings_agree,
    patches_leave_the_rest_alone,
)
