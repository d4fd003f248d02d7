"""The versions that this release installs, and what it requires of hosts."""

from __future__ import annotations

from agent.api import operations
from agent.api.clusters import Cidr, ClusterNetworkEntry
from agent.api.responses import (
    ComponentVersions,
    DefaultConfig,
    Preflight,
    Quantities,
    RequirementsByRole,
    RoleRequirements,
    SupportedVersion,
)
from node0.image_versions import ImageVersions
from node0.reconcile.state_manager import StateManager
from node0.rest.server.bind import Handlers
from node0.validations.engine import requirements
from node0.validations.host.identity import hostname_valid

# The defaults of install-config.yaml.
PODS = ClusterNetworkEntry(cidr="10.128.0.0/14", host_prefix=23)
SERVICES = Cidr(cidr="172.30.0.0/16")


class Versions:
    def __init__(self, *, state_manager: StateManager, image: ImageVersions) -> None:
        self._state_manager = state_manager
        self._image = image

    def handlers(self) -> Handlers:
        return {
            operations.LIST_COMPONENT_VERSIONS: self.components,
            operations.LIST_SUPPORTED_VERSIONS: self.supported,
            operations.LIST_OPERATORS: self.operators,
            operations.GET_DEFAULT_CONFIG: self.default_config,
            operations.GET_PREFLIGHT: self.preflight,
        }

    async def components(self) -> ComponentVersions:
        versions = {"cluster0": self._image.version, "kubernetes": self._image.payload.kubernetes_version}
        return ComponentVersions(versions=versions, release_tag=self._image.version)

    async def supported(self, *, version: str = "", only_latest: bool = False) -> dict[str, SupportedVersion]:
        """The version on the ISO, if its name contains `version`."""
        known = self._image.payload.kubernetes_version
        return {known: SupportedVersion(display_name=known)} if version in known else {}

    async def operators(self) -> list[str]:
        return []

    async def default_config(self) -> DefaultConfig:
        return DefaultConfig(
            cluster_network_cidr=PODS.cidr,
            cluster_network_host_prefix=PODS.host_prefix,
            service_network_cidr=SERVICES.cidr,
            cluster_networks_ipv4=(PODS,),
            service_networks_ipv4=(SERVICES,),
            forbidden_hostnames=tuple(sorted(hostname_valid.FORBIDDEN)),
        )

    async def preflight(self, *, cluster_id: str) -> Preflight:
        self._state_manager.records.get_cluster(cluster_id)
        by_role = RequirementsByRole(master=_role(is_control_plane=True), worker=_role(is_control_plane=False))
        return Preflight(ocp=by_role)


def _role(*, is_control_plane: bool) -> RoleRequirements:
    needs = requirements.of(is_control_plane=is_control_plane)
    return RoleRequirements(
        quantitative=Quantities(
            cpu_cores=needs.cpu_cores,
            ram_mib=needs.memory_bytes // requirements.MIB,
            disk_size_gb=needs.disk_bytes // requirements.GB,
        )
    )
