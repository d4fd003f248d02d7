"""All validations: what has to hold before any disk is written. One validation a file, named after its id.

Left out of assisted-service's list, because cluster0 has nothing that they could check: operators, tang and TPM disk
encryption, iSCSI, vSphere's disk UUIDs, OpenShift's release image and network types, the ignition of hosts added on a
second day, and the agent's version (it comes with the same ISO).
"""

from __future__ import annotations

from node0.store.records import Evaluated
from node0.validations.cluster import (
    all_hosts_are_ready_to_install,
    dns_domain_defined,
    ntp_server_configured,
    pull_secret_set,
    sufficient_masters_count,
)
from node0.validations.cluster.networks import (
    cluster_cidr_defined,
    machine_cidr_equals_to_calculated_cidr,
    network_prefix_valid,
    networks_same_address_families,
    no_cidrs_overlapping,
    service_cidr_defined,
)
from node0.validations.cluster.networks import machine_cidr_defined as cluster_machine_cidr_defined
from node0.validations.cluster.vips import api_vips_defined, api_vips_valid, ingress_vips_valid
from node0.validations.engine.evaluation import evaluate
from node0.validations.engine.facts import ClusterFacts, HostFacts
from node0.validations.engine.validation import Validation
from node0.validations.host import container_images_available, user_checks
from node0.validations.host.disks import (
    has_min_valid_disks,
    installation_disk,
    no_skip_installation_disk,
    no_skip_missing_disk,
    sufficient_installation_disk_speed,
)
from node0.validations.host.dns import (
    api_domain_name_resolved_correctly,
    api_int_domain_name_resolved_correctly,
    apps_domain_name_resolved_correctly,
    dns_wildcard_not_configured,
)
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
from node0.validations.host.identity import hostname_unique, hostname_valid, machine_id_unique, product_uuid_unique
from node0.validations.host.machine_network import belongs_to_machine_cidr, machine_cidr_defined
from node0.validations.host.network import has_default_route, network_as_configured, non_overlapping_subnets
from node0.validations.host.peers import (
    belongs_to_majority_group,
    mtu_valid,
    no_ip_collisions_in_network,
    ports_between_hosts_open,
    reverse_path_valid,
    sufficient_network_latency_requirement_for_role,
    sufficient_packet_loss_requirement_for_role,
)
from node0.validations.host.presence import (
    connected,
    has_inventory,
    inventory_not_fully_truncated,
    inventory_not_partially_truncated,
    media_connected,
)
from node0.validations.host.time import ntp_synced, time_synced_between_host_and_service

# The order is the one in which clients see messages of validations that fail.
HOST_VALIDATIONS: tuple[Validation[HostFacts], ...] = (
    # presence
    connected.VALIDATION,
    media_connected.VALIDATION,
    has_inventory.VALIDATION,
    inventory_not_fully_truncated.VALIDATION,
    inventory_not_partially_truncated.VALIDATION,
    # hardware that any role needs
    has_min_cpu_cores.VALIDATION,
    has_min_memory.VALIDATION,
    has_min_valid_disks.VALIDATION,
    installation_disk.VALIDATION,
    no_skip_installation_disk.VALIDATION,
    no_skip_missing_disk.VALIDATION,
    compatible_with_cluster_platform.VALIDATION,
    # inputs, and hardware for the role
    machine_cidr_defined.VALIDATION,
    has_cpu_cores_for_role.VALIDATION,
    has_memory_for_role.VALIDATION,
    # identity
    hostname_valid.VALIDATION,
    hostname_unique.VALIDATION,
    machine_id_unique.VALIDATION,
    product_uuid_unique.VALIDATION,
    # system and firmware
    swap_off.VALIDATION,
    boot_order_sane.VALIDATION,
    no_boot_loop.VALIDATION,
    # the host's own network
    network_as_configured.VALIDATION,
    has_default_route.VALIDATION,
    belongs_to_machine_cidr.VALIDATION,
    non_overlapping_subnets.VALIDATION,
    valid_platform_network_settings.VALIDATION,
    # between hosts
    belongs_to_majority_group.VALIDATION,
    reverse_path_valid.VALIDATION,
    mtu_valid.VALIDATION,
    ports_between_hosts_open.VALIDATION,
    sufficient_network_latency_requirement_for_role.VALIDATION,
    sufficient_packet_loss_requirement_for_role.VALIDATION,
    no_ip_collisions_in_network.VALIDATION,
    # DNS
    api_domain_name_resolved_correctly.VALIDATION,
    api_int_domain_name_resolved_correctly.VALIDATION,
    apps_domain_name_resolved_correctly.VALIDATION,
    dns_wildcard_not_configured.VALIDATION,
    # time
    time_synced_between_host_and_service.VALIDATION,
    ntp_synced.VALIDATION,
    # results of steps that prepare the install
    container_images_available.VALIDATION,
    sufficient_installation_disk_speed.VALIDATION,
)

CLUSTER_VALIDATIONS: tuple[Validation[ClusterFacts], ...] = (
    # inputs
    cluster_cidr_defined.VALIDATION,
    service_cidr_defined.VALIDATION,
    cluster_machine_cidr_defined.VALIDATION,
    dns_domain_defined.VALIDATION,
    pull_secret_set.VALIDATION,
    # networks
    no_cidrs_overlapping.VALIDATION,
    networks_same_address_families.VALIDATION,
    network_prefix_valid.VALIDATION,
    machine_cidr_equals_to_calculated_cidr.VALIDATION,
    # virtual addresses
    api_vips_defined.VALIDATION,
    api_vips_valid.VALIDATION,
    ingress_vips_valid.VALIDATION,
    # hosts
    ntp_server_configured.VALIDATION,
    all_hosts_are_ready_to_install.VALIDATION,
    sufficient_masters_count.VALIDATION,
)


def evaluate_host_validations(facts: HostFacts) -> tuple[Evaluated, ...]:
    """Our validations, and one for each of the user's own checks."""
    return (*evaluate(HOST_VALIDATIONS, facts), *evaluate(user_checks.validations(facts), facts))
