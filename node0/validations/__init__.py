"""The questions that must be answered well before any disk is written; one rule a file, listed here.

Left out of assisted-service's list, because there is nothing to ask about: operators, tang and TPM disk encryption,
iSCSI, vSphere's disk UUIDs, disks whose formatting is skipped, OpenShift's release image and network types, a second
day's ignition, and the agent's version (it comes with the same ISO).
"""

from __future__ import annotations

from node0.store.records import Judged
from node0.validations import (
    all_hosts_ready,
    belongs_to_machine_cidr,
    belongs_to_majority_group,
    boot_order,
    clocks_agree,
    compatible_with_cluster_platform,
    connected,
    container_images,
    disk_speed,
    dns_domain_defined,
    dns_wildcard,
    domains,
    has_cpu_cores_for_role,
    has_default_route,
    has_inventory,
    has_memory_for_role,
    has_min_cpu_cores,
    has_min_memory,
    has_min_valid_disks,
    hostname_unique,
    hostname_valid,
    identity_unique,
    installation_disk,
    inventory_truncated,
    ip_collisions,
    machine_cidr_calculated,
    machine_cidr_on_host,
    media_connected,
    mtu_valid,
    network_latency,
    network_prefix_valid,
    networks_defined,
    networks_same_families,
    no_cidrs_overlapping,
    non_overlapping_subnets,
    ntp_synced,
    packet_loss,
    ports_open,
    pull_secret_set,
    reverse_path,
    sufficient_masters,
    swap_off,
    time_synced,
    user_checks,
    valid_platform_network_settings,
    vips,
)
from node0.validations.facts import ClusterFacts, HostFacts
from node0.validations.rule import Rule, judge

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
    compatible_with_cluster_platform.RULE,
    machine_cidr_on_host.RULE,
    has_cpu_cores_for_role.RULE,
    has_memory_for_role.RULE,
    hostname_valid.RULE,
    hostname_unique.RULE,
    identity_unique.MACHINE_ID,
    identity_unique.PRODUCT_UUID,
    swap_off.RULE,
    boot_order.RULE,
    has_default_route.RULE,
    belongs_to_machine_cidr.RULE,
    non_overlapping_subnets.RULE,
    valid_platform_network_settings.RULE,
    belongs_to_majority_group.RULE,
    reverse_path.RULE,
    mtu_valid.RULE,
    ports_open.RULE,
    network_latency.RULE,
    packet_loss.RULE,
    ip_collisions.RULE,
    domains.API,
    domains.API_INT,
    domains.APPS,
    dns_wildcard.RULE,
    time_synced.RULE,
    ntp_synced.RULE,
    container_images.RULE,
    disk_speed.RULE,
)

CLUSTER_RULES: tuple[Rule[ClusterFacts], ...] = (
    networks_defined.CLUSTER,
    networks_defined.SERVICE,
    networks_defined.MACHINE,
    dns_domain_defined.RULE,
    pull_secret_set.RULE,
    no_cidrs_overlapping.RULE,
    networks_same_families.RULE,
    network_prefix_valid.RULE,
    machine_cidr_calculated.RULE,
    vips.API_DEFINED,
    vips.API_VALID,
    vips.INGRESS_VALID,
    clocks_agree.RULE,
    all_hosts_ready.RULE,
    sufficient_masters.RULE,
)


def judge_host(facts: HostFacts) -> tuple[Judged, ...]:
    """Ours, and those of the user's own checks."""
    return (*judge(HOST_RULES, facts), *judge(user_checks.rules(facts), facts))
