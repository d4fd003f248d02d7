"""Responses that are not a resource of their own: manifests, versions, requirements, defaults."""

from __future__ import annotations

import msgspec

from agent.api.clusters import Cidr, ClusterNetworkEntry


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """`manifest_source`: user or system."""

    folder: str
    file_name: str
    manifest_source: str = "user"


class ComponentVersions(msgspec.Struct, frozen=True, kw_only=True):
    versions: dict[str, str]
    release_tag: str


class SupportedVersion(msgspec.Struct, frozen=True, kw_only=True):
    """`support_level`: beta, production, maintenance or end-of-life."""

    display_name: str
    support_level: str = "production"
    default: bool = True
    cpu_architectures: tuple[str, ...] = ("x86_64",)


class DefaultConfig(msgspec.Struct, frozen=True, kw_only=True):
    """What a cluster gets by default."""

    cluster_network_cidr: str
    cluster_network_host_prefix: int
    service_network_cidr: str
    cluster_networks_ipv4: tuple[ClusterNetworkEntry, ...]
    service_networks_ipv4: tuple[Cidr, ...]
    forbidden_hostnames: tuple[str, ...]
    ntp_source: str = ""
    inactive_deletion_hours: int = 0


class Quantities(msgspec.Struct, frozen=True, kw_only=True):
    """`ram_mib`: MiB; `disk_size_gb`: decimal gigabytes."""

    cpu_cores: int
    ram_mib: int
    disk_size_gb: int


class RoleRequirements(msgspec.Struct, frozen=True, kw_only=True):
    quantitative: Quantities
    qualitative: tuple[str, ...] = ()


class RequirementsByRole(msgspec.Struct, frozen=True, kw_only=True):
    master: RoleRequirements
    worker: RoleRequirements


class Preflight(msgspec.Struct, frozen=True, kw_only=True):
    """`operators` is always empty: there are none here."""

    ocp: RequirementsByRole
    operators: tuple[str, ...] = ()
