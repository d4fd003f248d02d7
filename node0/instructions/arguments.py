"""The arguments of a host's steps, as assisted-service's agents expect them: JSON documents in strings."""

from __future__ import annotations

from collections.abc import Callable
from ipaddress import IPv4Network, ip_network

import msgspec

from agent.api.checks import DiskSpeedRequest, Domain, DomainRequest, ImagesRequest, VipCheck
from agent.api.steps import InstallRequest, StepType
from node0.reconcile.peers import described
from node0.store.records import ClusterRecord, HostRecord, Records
from node0.validations.host.disks import disk_selection
from node0.validations.host.dns import cluster_names

# The second argument of the disk's measurement: seconds, as upstream writes them.
DISK_SPEED_SECONDS = "480.00"

# A sweep of a larger network takes too long.
SWEEP_PREFIX = 22


def vips(cluster: ClusterRecord) -> tuple[VipCheck, ...]:
    """The virtual addresses, which no machine may have yet."""
    spec = cluster.spec
    return (
        *(VipCheck(vip=entry.ip, vip_type="api") for entry in spec.api_vips),
        *(VipCheck(vip=entry.ip, vip_type="ingress") for entry in spec.ingress_vips),
    )


def _ntp_sources(records: Records) -> str:
    return records.cluster.spec.additional_ntp_source if records.cluster else ""


def _sweepable(records: Records) -> list[str]:
    networks = [ip_network(entry.cidr) for entry in records.cluster.spec.machine_networks] if records.cluster else []
    return [str(found) for found in networks if isinstance(found, IPv4Network) and found.prefixlen >= SWEEP_PREFIX]


def _disk_speed(host: HostRecord) -> DiskSpeedRequest:
    disk = disk_selection.installation_disk(host)
    assert disk is not None, "validated before the install was prepared"
    return DiskSpeedRequest(path=disk.path)


def _install(host: HostRecord, records: Records) -> InstallRequest:
    disk = disk_selection.installation_disk(host)
    assert disk is not None and records.cluster is not None, "validated before the install started"
    return InstallRequest(
        cluster_id=records.cluster.id,
        infra_env_id=host.infra_env_id,
        host_id=host.id,
        role=host.install_role,
        boot_device=disk.id,
        control_plane_count=records.cluster.spec.control_plane_count,
    )


def _logs(host: HostRecord, records: Records) -> dict[str, object]:
    cluster_id = records.cluster.id if records.cluster else ""
    return {
        "cluster_id": cluster_id,
        "infra_env_id": host.infra_env_id,
        "host_id": host.id,
        "bootstrap": host.bootstrap,
    }


def _domains(_host: HostRecord, records: Records) -> DomainRequest:
    names = cluster_names.names_to_resolve(records.cluster) if records.cluster else ()
    return DomainRequest(domains=tuple(Domain(domain_name=name) for name in names))


def _json(document: object) -> str:
    return msgspec.json.encode(document).decode()


_DOCUMENTS: dict[StepType, Callable[[HostRecord, Records], object]] = {
    StepType.CONNECTIVITY_CHECK: lambda host, records: [described(records.hosts[peer]) for peer in host.peers],
    StepType.NTP_SYNCHRONIZER: lambda _, records: {"ntp_source": _ntp_sources(records)},
    StepType.DOMAIN_RESOLUTION: _domains,
    StepType.FREE_NETWORK_ADDRESSES: lambda _, records: _sweepable(records),
    StepType.VERIFY_VIPS: lambda _, records: vips(records.cluster) if records.cluster else (),
    StepType.CONTAINER_IMAGE_AVAILABILITY: lambda _host, _records: ImagesRequest(),
    StepType.INSTALLATION_DISK_SPEED_CHECK: lambda host, _: _disk_speed(host),
    StepType.INSTALL: _install,
    StepType.LOGS_GATHER: _logs,
}


def arguments_for(kind: StepType, host: HostRecord, records: Records) -> tuple[str, ...]:
    """The arguments of step `kind` for `host`."""
    if kind is StepType.INVENTORY:
        return (host.id,)
    if kind not in _DOCUMENTS:
        return ()
    document = _json(_DOCUMENTS[kind](host, records))
    return (document, DISK_SPEED_SECONDS) if kind is StepType.INSTALLATION_DISK_SPEED_CHECK else (document,)
