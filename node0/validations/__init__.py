"""The questions that must be answered well before any disk is written; one rule a file, listed here."""

from __future__ import annotations

from node0.validations import (
    all_hosts_ready,
    belongs_to_machine_cidr,
    connected,
    dns_domain_defined,
    has_default_route,
    has_inventory,
    has_min_cpu_cores,
    has_min_memory,
    has_min_valid_disks,
    hostname_unique,
    hostname_valid,
    installation_disk,
    networks_defined,
    no_cidrs_overlapping,
    ntp_synced,
    pull_secret_set,
    sufficient_masters,
    time_synced,
)
from node0.validations.facts import ClusterFacts, HostFacts
from node0.validations.rule import Rule

HOST_RULES: tuple[Rule[HostFacts], ...] = (
    connected.RULE,
    has_inventory.RULE,
    has_min_cpu_cores.RULE,
    has_min_memory.RULE,
    has_min_valid_disks.RULE,
    installation_disk.RULE,
    hostname_valid.RULE,
    hostname_unique.RULE,
    has_default_route.RULE,
    belongs_to_machine_cidr.RULE,
    time_synced.RULE,
    ntp_synced.RULE,
)

CLUSTER_RULES: tuple[Rule[ClusterFacts], ...] = (
    networks_defined.CLUSTER,
    networks_defined.SERVICE,
    networks_defined.MACHINE,
    dns_domain_defined.RULE,
    pull_secret_set.RULE,
    no_cidrs_overlapping.RULE,
    all_hosts_ready.RULE,
    sufficient_masters.RULE,
)
