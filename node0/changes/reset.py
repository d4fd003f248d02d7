"""Cancel and reset of an install: of the cluster, or of one host while the others go on."""

from __future__ import annotations

import msgspec

from agent.model.states import STAGES, ClusterStatus, EventSeverity, InstallRole, Stage
from node0.reconcile.evaluate import fire_cluster, fire_host, host_case
from node0.reconcile.transaction import Change, Transaction
from node0.refusals import Conflict
from node0.state_machine.cluster import UNDER_WAY, ClusterEvent
from node0.state_machine.host import HostEvent, is_past_reboot
from node0.store.records import ClusterRecord, HostRecord, LogsRecord, Records

_BOOTSTRAP_STAGES = STAGES[InstallRole.BOOTSTRAP]


def cancel_install(cluster_id: str) -> Change:
    """Hosts that run the live image stop where they are; those that boot from their disk are left as they are."""

    def change(transaction: Transaction) -> None:
        cluster = transaction.records.get_cluster(cluster_id)
        if any(is_past_reboot(host) for host in _bootstrap_hosts(transaction.records)):
            raise _too_late(cluster, "node0 boots from its disk")
        _fire(transaction, cluster, ClusterEvent.CANCEL_REQUESTED, "cancelled")
        words = f"Canceled installation of cluster {cluster.spec.name}"
        transaction.add_event("cluster_installation_canceled", words, severity=EventSeverity.WARNING)

    return change


def reset_install(cluster_id: str) -> Change:
    """Every host that took part gets all steps again. Manifests, ignored validations and decisions about hosts stay."""

    def change(transaction: Transaction) -> None:
        cluster = transaction.records.get_cluster(cluster_id)
        if any(_runs_control_plane(host) for host in _bootstrap_hosts(transaction.records)):
            raise _too_late(cluster, "node0's control plane runs from its disk")
        moved = _fire(transaction, cluster, ClusterEvent.RESET_REQUESTED, "reset")
        transaction.put_cluster(
            msgspec.structs.replace(
                moved, install_started_at=None, install_completed_at=None, controller_logs=LogsRecord()
            )
        )
        for host in transaction.records.hosts.values():
            if (reset := _reset(transaction, host)) is not None:
                transaction.put_host(msgspec.structs.replace(without_reports(reset), late=False))
        transaction.add_event("cluster_installation_reset", f"Reset installation of cluster {cluster.spec.name}")

    return change


def reset_host(infra_env_id: str, host_id: str) -> Change:
    """Its install starts over, while the cluster's goes on."""

    def change(transaction: Transaction) -> None:
        host = transaction.records.get_host(infra_env_id, host_id)
        cluster = transaction.records.cluster
        if cluster is None or cluster.status not in UNDER_WAY - {ClusterStatus.FINALIZING}:
            raise Conflict(
                code="cluster-not-installing",
                title=f"Host {host.label}: a host is reset while its cluster installs.",
                remedy="Reset the cluster, where its install has ended.",
            )
        reset = None if is_past_reboot(host) or _runs_control_plane(host) else _reset(transaction, host)
        if reset is None:
            raise Conflict(
                code="host-not-resettable",
                title=f"Host {host.label} is {host.status}: it has no install to start over.",
                remedy="A host that has left the live image is booted from the ISO again.",
            )
        transaction.put_host(reset)
        transaction.add_event("host_installation_reset", f"Host {host.label}: installation reset", host=host)

    return change


def without_reports(host: HostRecord) -> HostRecord:
    """The host without its reports, which may be out of date after a reset. Decisions about it stay."""
    return msgspec.structs.replace(
        host,
        inventory=None,
        ntp_sources=(),
        clock_offset=None,
        stage=None,
        media_connected=True,
        connectivity=None,
        unreachable=(),
        free_addresses=(),
        resolutions=None,
        vips=(),
        disk_speed=None,
        images=None,
        user_checks=None,
    )


def _fire(transaction: Transaction, cluster: ClusterRecord, on: ClusterEvent, what: str) -> ClusterRecord:
    moved = fire_cluster(on, transaction.records, transaction.timers, transaction.now)
    if moved is None:
        raise Conflict(
            code="nothing-to-take-back", title=f"Cluster {cluster.spec.name} is {cluster.status}: it cannot be {what}."
        )
    transaction.put_cluster(moved)
    return moved


def _reset(transaction: Transaction, host: HostRecord) -> HostRecord | None:
    """The host after the reset of its install; None when it has no install to reset."""
    moved = fire_host(
        HostEvent.RESET_REQUESTED, host_case(host, transaction.records, transaction.timers), transaction.now
    )
    return moved and msgspec.structs.replace(moved, stage=None, stages_done=(), join=None, logs=LogsRecord())


def _bootstrap_hosts(records: Records) -> list[HostRecord]:
    return [host for host in records.hosts.values() if host.bootstrap and host.approved]


def _runs_control_plane(host: HostRecord) -> bool:
    """Its disk is in use from then on, and so is this service's database on it."""
    reached = host.stage.stage if host.stage else None
    return host.bootstrap and reached in _BOOTSTRAP_STAGES[_BOOTSTRAP_STAGES.index(Stage.WAITING_FOR_CONTROL_PLANE) :]


def _too_late(cluster: ClusterRecord, why: str) -> Conflict:
    return Conflict(
        code="too-late-to-take-back",
        title=f"Cluster {cluster.spec.name} is {cluster.status}, and {why}.",
        remedy="Boot all hosts from the ISO again: their disks are recognised, and the install starts over.",
    )
