"""A host as clients see it. What it reported last is JSON inside strings, empty until it has reported."""

from __future__ import annotations

from datetime import datetime

import msgspec

from agent.api.checks import DiskInfo, DiskSpeedState, DomainReply
from agent.api.hosts import LATE, ON_TIME, Host, HostProgress
from agent.api.steps import NtpReply
from agent.model.states import STAGES
from node0.rest.views.parts import timestamp, validations_info
from node0.state_machine import progress
from node0.store.records import ClusterRecord, DiskSpeed, HostRecord
from node0.validations.host.disks import disk_selection

INFRA_ENV_PATH = "/api/assisted-install/v2/infra-envs"


def host_view(
    record: HostRecord,
    cluster: ClusterRecord | None,
    *,
    checked_in_at: datetime | None = None,
    with_connectivity: bool = False,
) -> Host:
    """`checked_in_at`: not in the record, because most check-ins change nothing that is stored."""
    disk = disk_selection.installation_disk(record)
    reached = _progress(record)
    return Host(
        id=record.id,
        href=f"{INFRA_ENV_PATH}/{record.infra_env_id}/hosts/{record.id}",
        infra_env_id=record.infra_env_id,
        cluster_id=cluster.id if cluster and record.bound else msgspec.UNSET,
        kind=LATE if record.late else ON_TIME,
        status=record.status,
        status_info=record.status_info,
        status_updated_at=timestamp(record.status_updated_at),
        role=record.role,
        suggested_role=record.suggested_role,
        bootstrap=record.bootstrap,
        approved=record.approved,
        requested_hostname=record.hostname,
        checked_in_at=timestamp(checked_in_at),
        inventory=msgspec.json.encode(record.inventory).decode() if record.inventory else "",
        connectivity=_connectivity(record) if with_connectivity else "",
        domain_name_resolutions=_resolutions(record),
        images_status=_images(record),
        disks_info=_disks(record),
        media_status="connected" if record.media_connected else "disconnected",
        validations_info=validations_info(record.validations),
        ntp_sources=msgspec.json.encode(NtpReply(ntp_sources=record.ntp_sources).ntp_sources).decode(),
        progress=reached,
        progress_stages=STAGES[record.install_role],
        stage_started_at=reached.stage_started_at,
        stage_updated_at=reached.stage_updated_at,
        installation_disk_path=disk.path if disk else "",
        installation_disk_id=disk.id if disk else "",
        skip_formatting_disks=",".join(record.untouched_disks),
        node_labels=msgspec.json.encode(record.node_labels).decode() if record.node_labels else "",
        registered_at=timestamp(record.registered_at),
        created_at=timestamp(record.created_at),
        updated_at=timestamp(record.updated_at),
        discovery_agent_version=record.discovery_agent_version,
        ignition_config_overrides=record.ignition_override,
        installer_args=msgspec.json.encode(record.installer_args).decode() if record.installer_args else "",
        logs_info=record.logs.state,
        logs_started_at=timestamp(record.logs.started_at),
        logs_collected_at=timestamp(record.logs.collected_at),
    )


def _progress(record: HostRecord) -> HostProgress:
    if record.stage is None:
        return HostProgress()
    return HostProgress(
        installation_percentage=progress.of_host(record),
        current_stage=record.stage.stage,
        progress_info=record.stage.info,
        stage_started_at=timestamp(record.stage.started_at),
        stage_updated_at=timestamp(record.stage.updated_at),
    )


def _connectivity(record: HostRecord) -> str:
    return _json(record.connectivity) if record.connectivity else ""


def _resolutions(record: HostRecord) -> str:
    return "" if record.resolutions is None else _json(DomainReply(resolutions=record.resolutions))


def _images(record: HostRecord) -> str:
    return "" if record.images is None else _json(record.images)


def _disks(record: HostRecord) -> str:
    """The disk whose speed was measured, or could not be measured."""
    speed = record.disk_speed
    if speed is None:
        return ""
    return _json({speed.path: DiskInfo(id=speed.path, path=speed.path, disk_speed=_speed_state(speed))})


def _speed_state(speed: DiskSpeed) -> DiskSpeedState:
    if speed.reply is None:
        return DiskSpeedState(tested=True, exit_code=1)
    return DiskSpeedState(tested=True, speed_ms=speed.reply.io_sync_duration)


def _json(answer: object) -> str:
    return msgspec.json.encode(answer).decode()
