"""How long hosts and the cluster have been as they are, by the monotonic clock: a jump of the wall clock (chrony's
first step) times no host out.

They live in memory only. After a restart of the service everything counts from its start, which gives every host the
time to come back.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from agent.machine.clock import Clock
from node0.state_machine.limits import Limits
from node0.store.records import ClusterRecord, HostRecord


class Timers:
    """`limits`: how long each timer may run."""

    def __init__(self, clock: Clock, limits: Limits | None = None) -> None:
        self.limits = limits or Limits()
        self._clock = clock
        self._start = clock.monotonic()
        self._checked_in: dict[str, float] = {}
        self._returned: set[str] = set()
        self._seen: dict[str, tuple[object, float]] = {}

    def checked_in(self, host_id: str) -> None:
        """The host has just checked in."""
        now = self._clock.monotonic()
        if now - self._checked_in.get(host_id, self._start) >= min(
            self.limits.disconnection, self.limits.disconnection_bootstrap
        ):
            self._returned.add(host_id)
        self._checked_in[host_id] = now

    def take_returned(self) -> set[str]:
        """Ids of the hosts that have checked in after a disconnection, since the last call."""
        returned, self._returned = self._returned, set()
        return returned

    def now(self) -> float:
        """Seconds by the monotonic clock."""
        return self._clock.monotonic()

    def last_check_in(self, host_id: str) -> datetime | None:
        """When the host last checked in, by the wall clock of now; None: not since the service started."""
        checked_in = self._checked_in.get(host_id)
        if checked_in is None:
            return None
        return self._clock.now() - timedelta(seconds=self._clock.monotonic() - checked_in)

    def unresponsive_for(self, host: HostRecord) -> float:
        """Seconds since the host last checked in."""
        return self._clock.monotonic() - self._checked_in.get(host.id, self._start)

    def stalled_for(self, host: HostRecord) -> float:
        """Seconds since the host last changed its status or reported progress."""
        return self._same_for(host.id, (host.status, host.stage))

    def is_unresponsive(self, host: HostRecord) -> bool:
        return self.unresponsive_for(host) >= self.limits.disconnection_limit(bootstrap=host.bootstrap)

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
