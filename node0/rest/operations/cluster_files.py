"""Files of the cluster: its install-config, its credentials, and other files that clients request."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

import msgspec

from agent.api import operations
from agent.machine.files import Files
from agent.model import host_paths
from agent.model.states import ClusterStatus
from node0.changes.overrides import override_install_config, parse_object
from node0.reconcile.state_manager import StateManager
from node0.refusals import Conflict, NotFound
from node0.rest.server.answers import Download
from node0.rest.server.bind import Handlers
from node0.state_machine.cluster import BEFORE, PREPARING
from node0.store.records import ClusterRecord, Records

# `create image` makes it, so it exists before the cluster does.
_EARLY = frozenset({"kubeconfig-noingress"})


class ClusterFiles:
    """`files`: the machine's."""

    def __init__(self, *, state_manager: StateManager, files: Files) -> None:
        self._state_manager = state_manager
        self._files = files

    def handlers(self) -> Handlers:
        return {
            operations.GET_INSTALL_CONFIG: self.install_config,
            operations.UPDATE_INSTALL_CONFIG: self.update_install_config,
            operations.DOWNLOAD_CREDENTIALS: self.credentials,
            operations.DOWNLOAD_FILES: self.download,
        }

    async def install_config(self, *, cluster_id: str) -> str:
        return install_config(self._state_manager.records.get_cluster(cluster_id))

    async def update_install_config(self, *, cluster_id: str, body: str) -> None:
        await self._state_manager.apply(override_install_config(cluster_id, body))

    async def credentials(self, *, cluster_id: str, file_name: str) -> Download:
        """kubeconfig and kubeconfig-noingress are the same: cluster0 installs no ingress controller."""
        cluster = self._state_manager.records.get_cluster(cluster_id)
        if file_name not in {"kubeconfig", "kubeconfig-noingress"}:
            raise NotFound(code="credentials-unknown", title=f"There is no {file_name[:100]!r} of Kubernetes.")
        early = file_name in _EARLY and cluster.status in {ClusterStatus.READY} | PREPARING
        if not early:
            _check_started(cluster, file_name, BEFORE | PREPARING | {ClusterStatus.INSTALLING})
        content = self._files.read(host_paths.NODE0_KUBECONFIG, default="")
        if not content:
            raise NotFound(code="kubeconfig-missing", title=f"This node0 has no {host_paths.NODE0_KUBECONFIG}.")
        return Download(file_name, content.encode())

    async def download(self, *, cluster_id: str, file_name: str) -> Download:
        records = self._state_manager.records
        cluster = records.get_cluster(cluster_id)
        make = _MAKERS.get(file_name)
        if make is None:
            raise NotFound(
                code="file-unknown",
                title=f"There is no file {file_name[:100]!r}: every host composes its own Ignition.",
                remedy=f"Available files: {', '.join(_MAKERS)}.",
            )
        _check_started(cluster, file_name, BEFORE | PREPARING)
        return Download(file_name, make(cluster, records).encode())


def _check_started(cluster: ClusterRecord, file_name: str, too_early: frozenset[ClusterStatus]) -> None:
    if cluster.status in too_early:
        raise Conflict(
            code="too-early", title=f"Cluster {cluster.spec.name} is {cluster.status}: {file_name} does not exist yet."
        )


def install_config(cluster: ClusterRecord) -> str:
    """YAML as openshift-install reads it, merged with the overrides."""
    spec = cluster.spec
    config: dict[str, Any] = {
        "apiVersion": "v1",
        "baseDomain": spec.base_dns_domain,
        "metadata": {"name": spec.name},
        "controlPlane": {"name": "master", "replicas": spec.control_plane_count},
        "networking": {
            "networkType": str(spec.network_type),
            "clusterNetwork": [{"cidr": item.cidr, "hostPrefix": item.host_prefix} for item in spec.cluster_networks],
            "serviceNetwork": [item.cidr for item in spec.service_networks],
            "machineNetwork": [{"cidr": item.cidr} for item in spec.machine_networks],
        },
        "platform": {spec.platform.type: {}},
        "sshKey": spec.ssh_public_key,
    }
    if cluster.install_config_overrides:
        config = merged(config, parse_object(cluster.install_config_overrides, "The overrides"))
    import yaml  # with the first request, to spare the start of the service

    return yaml.safe_dump(config, sort_keys=False)


def merged(base: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    """`base` merged with `over`, mapping by mapping. The depth of `base` limits the recursion."""
    both = {
        key: merged(value, over[key])
        for key, value in base.items()
        if isinstance(value, dict) and isinstance(over.get(key), dict)
    }
    return {**base, **over, **both}


def _metadata(cluster: ClusterRecord, _records: Records) -> str:
    metadata = {"clusterName": cluster.spec.name, "clusterID": cluster.id, "infraID": cluster.id}
    return msgspec.json.encode(metadata).decode()


def _custom_manifests(_cluster: ClusterRecord, records: Records) -> str:
    """The content of each file is in base64."""
    files = [
        {"folder": item.folder, "file_name": item.file_name, "content": base64.b64encode(item.content).decode()}
        for item in records.manifests.values()
    ]
    return msgspec.json.encode(files).decode()


def _custom_manifests_yaml(_cluster: ClusterRecord, records: Records) -> str:
    return "---\n".join(item.content.decode() for item in records.manifests.values())


_MAKERS: dict[str, Callable[[ClusterRecord, Records], str]] = {
    "install-config.yaml": lambda cluster, _records: install_config(cluster),
    "metadata.json": _metadata,
    "custom_manifests.json": _custom_manifests,
    "custom_manifests.yaml": _custom_manifests_yaml,
}
