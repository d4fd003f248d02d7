"""Whether values fit together: one question a file, all asked in every run. The list is the order of asking."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from image_build.inputs.findings import Finding
from image_build.inputs.rules.access import ssh_settings_agree
from image_build.inputs.rules.addresses import addresses_in_the_machine_network
from image_build.inputs.rules.bond_modes import bond_options_fit
from image_build.inputs.rules.dns import dns_servers_are_reachable
from image_build.inputs.rules.duplicates import duplicates
from image_build.inputs.rules.facts import Facts
from image_build.inputs.rules.families import network_families_fit
from image_build.inputs.rules.ignition_overrides import overrides_are_ignition
from image_build.inputs.rules.image_sources import (
    mirrors_are_given_once,
    mirrors_keep_the_path,
    registries_have_one_policy,
)
from image_build.inputs.rules.install_config_hosts import hosts_are_in_one_file
from image_build.inputs.rules.interface_types import interface_types_fit
from image_build.inputs.rules.interfaces import interfaces_agree
from image_build.inputs.rules.ip_settings import ip_settings_are_clear
from image_build.inputs.rules.kubeadm_patches import patches_leave_the_rest_alone
from image_build.inputs.rules.machine_network import machine_network_is_known
from image_build.inputs.rules.names import names_agree
from image_build.inputs.rules.network_type import network_plugin_is_named_once
from image_build.inputs.rules.networks import (
    networks_are_disjoint,
    networks_are_of_a_usable_kind,
    pod_network_is_large_enough,
)
from image_build.inputs.rules.platform import one_platform_is_chosen
from image_build.inputs.rules.ports import ports_fit
from image_build.inputs.rules.rendezvous import rendezvous_address
from image_build.inputs.rules.replicas import control_plane_has_a_majority, hosts_match_replicas
from image_build.inputs.rules.routes import routes_are_usable
from image_build.inputs.rules.site_addresses import site_addresses_are_hosts, site_is_outside_of_the_cluster
from image_build.inputs.rules.trust_bundle import certificates_hold
from image_build.inputs.rules.vips import virtual_addresses_are_free
from image_build.inputs.rules.vlans import vlans_have_parents

Rule = Callable[[Facts], Iterator[Finding]]

RULES: tuple[Rule, ...] = (
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
