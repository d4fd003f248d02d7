"""What a terminal shows during the wait: progress of the install, and the stage of each host with its duration."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime

from agent.api.clusters import Cluster
from agent.api.hosts import Host
from agent.api.timestamps import UNSET_TIME
from agent.model.states import HostStatus
from client.remote.hosts import host_name


@dataclass(frozen=True)
class HostProgressView:
    """`stage`: empty before the install; the state is shown then. `seconds`: in this stage."""

    name: str
    status: HostStatus
    percent: int
    stage: str = ""
    info: str = ""
    seconds: float = 0.0

    @property
    def words(self) -> str:
        return f"{self.stage or self.status} {self.info}".rstrip()


@dataclass(frozen=True)
class ProgressView:
    """`words`: the phase of the install, in one line."""

    percent: int
    words: str
    hosts: tuple[HostProgressView, ...] = ()


@dataclass
class StageClock:
    """How long each host has been in its stage, by our own clock, which may differ from node0's.

    For a stage that began before our first observation, the start comes from the times that node0 reports.
    """

    _begun: dict[str, tuple[str, float]] = field(default_factory=dict)

    def update(self, cluster: Cluster, at: float) -> tuple[HostProgressView, ...]:
        """`at`: seconds on a monotonic clock."""
        return tuple(self._views(cluster, at))

    def _views(self, cluster: Cluster, at: float) -> Iterator[HostProgressView]:
        for host in cluster.hosts:
            stage = str(host.progress.current_stage)
            known, since = self._begun.get(host.id, ("", 0.0))
            if stage != known:
                since = at - _already(host)
                self._begun[host.id] = (stage, since)
            yield HostProgressView(
                name=host_name(host), status=host.status, percent=host.progress.installation_percentage,
                stage=stage, info=host.progress.progress_info, seconds=at - since if stage else 0.0,
            )  # fmt: skip


def _already(host: Host) -> float:
    """Seconds from the stage's start to its last report."""
    begin, last = host.progress.stage_started_at, host.progress.stage_updated_at
    if UNSET_TIME in {begin, last}:
        return 0.0
    return max(0.0, (datetime.fromisoformat(last) - datetime.fromisoformat(begin)).total_seconds())
