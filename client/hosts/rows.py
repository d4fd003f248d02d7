"""One row for every host: those of node0's service, and those of the inputs that have not registered."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from agent.api.clusters import Cluster
from agent.api.hosts import Host
from agent.model.states import HostStatus
from client.observe.presence import presence
from client.remote.checks import check_words, failing_checks
from client.remote.hosts import host_name, macs
from client.remote.target import Target

NOT_REGISTERED = "not-registered"


class HostRow(msgspec.Struct, frozen=True, kw_only=True):
    """`id` is empty and `status` is `not-registered` for a host that has not registered. `percent`: of its install."""

    name: str
    id: str = ""
    macs: tuple[str, ...] = ()
    role: str = ""
    status: str = NOT_REGISTERED
    status_info: str = ""
    stage: str = ""
    percent: int = 0
    approved: bool = False
    failing_checks: tuple[str, ...] = ()


class HostList(msgspec.Struct, frozen=True, kw_only=True):
    """What `-o json` prints."""

    schema: int = 1
    hosts: tuple[HostRow, ...]


def rows(cluster: Cluster, target: Target) -> tuple[HostRow, ...]:
    """`cluster`: with its hosts."""
    failing = failing_checks(cluster)
    registered = (
        row(host, tuple(check_words(("", key[1]), verdict) for key, verdict in failing.items() if key[0] == name))
        for host in cluster.hosts
        for name in [host_name(host)]
    )
    missing = (
        HostRow(name=host.hostname, macs=tuple(nic.mac for nic in host.interfaces), role=host.role)
        for host in presence(cluster, target.intent).missing
    )
    return (*registered, *missing)


def row(host: Host, failing: tuple[str, ...] = ()) -> HostRow:
    """`failing`: a sentence for each validation that fails."""
    return HostRow(
        name=host_name(host), id=host.id, macs=macs(host), role=host.suggested_role, status=host.status,
        status_info=host.status_info, stage=host.progress.current_stage,
        percent=host.progress.installation_percentage, approved=host.approved,
        failing_checks=failing if host.status.is_before_install else (),
    )  # fmt: skip


HEADER = ("HOST", "MAC", "ROLE", "STATUS", "%", "APPROVED", "ACTIVITY")


def cells(found: Iterable[HostRow]) -> list[tuple[str, ...]]:
    """For people, under `HEADER`."""
    return [
        (row.name, " ".join(row.macs), row.role, row.status, str(row.percent), "yes" if row.approved else "no",
         _doing(row))
        for row in found
    ]  # fmt: skip


def _doing(row: HostRow) -> str:
    if row.failing_checks:
        return "; ".join(row.failing_checks)
    return row.stage if row.stage and row.status != HostStatus.ERROR else row.status_info
