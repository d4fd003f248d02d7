"""What a terminal shows while it waits: the whole install's progress, and every host's stage and the time in it."""

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
class HostPicture:
    """`stage`: empty before the install, then its state is shown. `seconds`: in this stage."""

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
class Picture:
    """`words`: where the install stands, in one line."""

    percent: int
    words: str
    hosts: tuple[HostPicture, ...] = ()


@dataclass
class StageClock:
    """How long each host has been in its stage, by our own clock: node0's may be another.

    A stage that had begun before the first look counts from what node0's own times say.
    """

    _begun: dict[str, tuple[str, float]] = field(default_factory=dict)

    def see(self, cluster: Cluster, at: float) -> tuple[HostPicture, ...]:
        """`at`: seconds on a monotonic clock."""
        return tuple(self._pictures(cluster, at))

    def _pictures(self, cluster: Cluster, at: float) -> Iterator[HostPicture]:
        for host in cluster.hosts:
            stage = str(host.progress.current_stage)
            known, since = self._begun.get(host.id, ("", 0.0))
            if stage != known:
                since = at - _already(host)
                self._begun[host.id] = (stage, since)
            yield HostPicture(
                name=host_name(host), status=host.status, percent=host.progress.installation_percentage,
                stage=stage, info=host.progress.progress_info, seconds=at - since if stage else 0.0,
            )  # fmt: skip


def _already(host: Host) -> float:
    """Seconds from the stage's begin to its last report."""
    begin, last = host.progress.stage_started_at, host.progress.stage_updated_at
    if UNSET_TIME in {begin, last}:
        return 0.0
    return max(0.0, (datetime.fromisoformat(last) - datetime.fromisoformat(begin)).total_seconds())
