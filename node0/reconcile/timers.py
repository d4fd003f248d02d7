"""How long things have been as they are, by the monotonic clock: a jump of the wall clock (chrony's first step) times
nobody out.

They live in memory only. After a restart of the service everything counts from its start, which gives every host the
time to come back.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from agent.machine.clock import Clock
from node0.reconcile.evaluation_cache import Surroundings
from node0.state_machine.limits import Limits
from node0.store.records import ClusterRecord, HostRecord


class Stopwatches:
    """`limits`: how far each may run. `surroundings`: what `settle` saw last, for itself alone."""

    def __init__(self, clock: Clock, limits: Limits | None = None) -> None:
        self.limits = limits or Limits()
        self.surroundings = Surroundings()
        self._clock = clock
        self._start = clock.monotonic()
        self._heard: dict[str, float] = {}
        self._just_heard: set[str] = set()
        self._seen: dict[str, tuple[object, float]] = {}

    def heard(self, host_id: str) -> None:
        """The host has just called."""
        now = self._clock.monotonic()
        if now - self._heard.get(host_id, self._start) >= min(self.limits.silence, self.limits.silence_bootstrap):
            self._just_heard.add(host_id)
        self._heard[host_id] = now

    def take_heard(self) -> set[str]:
        """Ids of the hosts that have called after a long silence, since this was asked last."""
        heard, self._just_heard = self._just_heard, set()
        return heard

    def now(self) -> float:
        """Seconds by the monotonic clock."""
        return self._clock.monotonic()

    def last_heard(self, host_id: str) -> datetime | None:
        """When the host last called, by the wall clock of now; None: not since the service started."""
        heard = self._heard.get(host_id)
        return None if heard is None else self._clock.now() - timedelta(seconds=self._clock.monotonic() - heard)

    def silent_for(self, host: HostRecord) -> float:
        """Seconds since the host last called."""
        return self._clock.monotonic() - self._heard.get(host.id, self._start)

    def stalled_for(self, host: HostRecord) -> float:
        """Seconds since the host last changed its status or reported progress."""
        return self._same_for(host.id, (host.status, host.stage))

    def is_silent(self, host: HostRecord) -> bool:
        return self.silent_for(host) >= self.limits.silence_of(bootstrap=host.bootstrap)

    def unchanged_for(self, cluster: ClusterRecord) -> float:
        """Seconds since the cluster entered its status."""
        return self._same_for(cluster.id, cluster.status)

    def _same_for(self, key: str, value: object) -> float:
        now = self._clock.monotonic()
        seen, since = self._seen.get(key, (None, now))
        if seen == value:
            return now - since
        self._seen[key] = (value, now)
        return 0.0
