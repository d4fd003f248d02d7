"""The questions that must be answered well before any disk is written; one rule a file, listed here.

Left out of assisted-service's list, because there is nothing to ask about: operators, tang and TPM disk encryption,
iSCSI, vSphere's disk UUIDs, OpenShift's release image and network types, a second
day's ignition, and the agent's version (it comes with the same ISO).
"""

from __future__ import annotations

from node0.store.records import Judged
from node0.validations.cluster import (
    all_hosts_are_ready_to_install,
    dns_domain_defined,
    machine_cidr_equals_to_calculated_cidr,
    network_prefix_valid,
    networks_defined,
    networks_same_address_families,
    no_cidrs_overlapping,
    ntp_server_configured,
    pull_secret_set,
    sufficient_masters_count,
    vips,
)
from node0.validations.engine.facts import ClusterFacts, HostFacts
from node0.validations.engine.validation import Rule, judge
from node0.validations.host import container_images_available, user_checks
from node0.validations.host.disks import (
    has_min_valid_disks,
    installation_disk,
    sufficient_installation_disk_speed,
    untouched_disks,
)
from node0.validations.host.dns import dns_wildcard_not_configured, domains
from node0.validations.host.hardware import (
    boot_order_sane,
    compatible_with_cluster_platform,
    has_cpu_cores_for_role,
    has_memory_for_role,
    has_min_cpu_cores,
    has_min_memory,
    no_boot_loop,
    swap_off,
    valid_platform_network_settings,
)
from node0.validations.host.identity import hostname_unique, hostname_valid, identity_unique
from node0.validations.host.machine_network import belongs_to_machine_cidr, machine_cidr_defined
from node0.validations.host.network import (
    has_default_route,
    network_as_configured,
    non_overlapping_subnets,
    reverse_path_valid,
)
from node0.validations.host.peers import (
    belongs_to_majority_group,
    mtu_valid,
    no_ip_collisions_in_network,
    ports_between_hosts_open,
    sufficient_network_latency_requirement_for_role,
    sufficient_packet_loss_requirement_for_role,
)
from node0.validations.host.presence import connected, has_inventory, inventory_truncated, media_connected
from node0.validations.host.time import ntp_synced, time_synced_between_host_and_service

HOST_RULES: tuple[Rule[HostFacts], ...] = (
    connected.RULE,
    media_connected.RULE,
    has_inventory.RULE,
    inventory_truncated.FULLY,
    inventory_truncated.PARTIALLY,
    has_min_cpu_cores.RULE,
    has_min_memory.RULE,
    has_min_valid_disks.RULE,
    installation_disk.RULE,
    untouched_disks.INSTALLATION_DISK,
    untouched_disks.MISSING_DISK,
    compatible_with_cluster_platform.RULE,
    machine_cidr_defined.RULE,
    has_cpu_cores_for_role.RULE,
    has_memory_for_role.RULE,
    hostname_valid.RULE,
    hostname_unique.RULE,
    identity_unique.MACHINE_ID,
    identity_unique.PRODUCT_UUID,
    swap_off.RULE,
    boot_order_sane.RULE,
    no_boot_loop.RULE,
    network_as_configured.RULE,
    has_default_route.RULE,
    belongs_to_machine_cidr.RULE,
    non_overlapping_subnets.RULE,
    valid_platform_network_settings.RULE,
    belongs_to_majority_group.RULE,
    reverse_path_valid.RULE,
    mtu_valid.RULE,
    ports_between_hosts_open.RULE,
    sufficient_network_latency_requirement_for_role.RULE,
    sufficient_packet_loss_requirement_for_role.RULE,
    no_ip_collisions_in_network.RULE,
    domains.API,
    domains.API_INT,
    domains.APPS,
    dns_wildcard_not_configured.RULE,
    time_synced_between_host_and_service.RULE,
    ntp_synced.RULE,
    container_images_available.RULE,
    sufficient_installation_disk_speed.RULE,
)

CLUSTER_RULES: tuple[Rule[ClusterFacts], ...] = (
    networks_defined.CLUSTER,
    networks_defined.SERVICE,
    networks_defined.MACHINE,
    dns_domain_defined.RULE,
    pull_secret_set.RULE,
    no_cidrs_overlapping.RULE,
    networks_same_address_families.RULE,
    network_prefix_valid.RULE,
    machine_cidr_equals_to_calculated_cidr.RULE,
    vips.API_DEFINED,
    vips.API_VALID,
    vips.INGRESS_VALID,
    ntp_server_configured.RULE,
    all_hosts_are_ready_to_install.RULE,
    sufficient_masters_count.RULE,
)


def judge_host(facts: HostFacts) -> tuple[Judged, ...]:
    """Ours, and those of the user's own checks."""
    return (*judge(HOST_RULES, facts), *judge(user_checks.rules(facts), facts))
