"""Observes node0's REST API."""

from __future__ import annotations

import aiohttp
import msgspec

from agent.api import operations
from agent.api.checks import ConnectivityReport
from agent.api.client import Client, Refused, Unreachable
from agent.api.clusters import Cluster
from agent.api.errors import connection_error_text, host_is_up
from agent.api.events import Event
from client.observe.observation import Reach, ServiceView
from client.observe.peer_failures import hosts_with_peer_failures, peer_failures

LONG_POLL_SECONDS = 2
"""How long an observation waits for events. It is short because the percentage of a stage changes without one."""

_TIMEOUT = 10.0


class ServiceWatcher:
    """Polls the cluster and its new events. It remembers the last event, so it returns every event once."""

    def __init__(self, client: Client, cluster_id: str) -> None:
        self._client = client
        self._cluster_id = cluster_id
        self._last_event = 0
        self._created_at = ""

    async def observe(self) -> ServiceView:
        """Returns after `LONG_POLL_SECONDS`, or sooner when there are events.

        Raises `Refused` when the service does not accept our token, which is permanent.
        """
        try:
            events = await self._events(wait=LONG_POLL_SECONDS)
            cluster = await self._client.call(operations.GET_CLUSTER, cluster_id=self._cluster_id, timeout=_TIMEOUT)
            failures = peer_failures(cluster, await self._reports(cluster))
        except Unreachable as problem:
            return ServiceView(_reach(problem.__cause__), why=_reason(problem.__cause__))
        except Refused as refusal:
            return _refused(refusal)
        if cluster.created_at != self._created_at:
            # node0 started over with an empty database, and counts its events from 1 again.
            self._created_at, self._last_event = cluster.created_at, 0
            events = await self._events(wait=0)
        self._last_event = max([self._last_event, *(event.id for event in events)])
        return ServiceView(Reach.ANSWERS, cluster=cluster, events=tuple(events), peer_failures=failures)

    async def _reports(self, cluster: Cluster) -> dict[str, ConnectivityReport]:
        """Host id → connectivity report, of hosts with peer failures. One call each: GET cluster leaves them out."""
        reports = {}
        for failing in hosts_with_peer_failures(cluster):
            host = await self._client.call(
                operations.GET_HOST, timeout=_TIMEOUT, infra_env_id=failing.infra_env_id, host_id=failing.id
            )
            if host.connectivity:
                reports[host.id] = msgspec.json.decode(host.connectivity, type=ConnectivityReport)
        return reports

    async def _events(self, *, wait: int) -> list[Event]:
        query: dict[str, str | int] = {"cluster_id": self._cluster_id, "after": self._last_event, "wait": wait}
        return await self._client.call(operations.LIST_EVENTS, query=query, timeout=_TIMEOUT + wait)


def _reason(cause: BaseException | None) -> str:
    if isinstance(cause, TimeoutError):
        return f"No answer within {_TIMEOUT:g} s."
    return f"{connection_error_text(cause)}." if cause else ""


def _refused(refusal: Refused) -> ServiceView:
    if refusal.status in {401, 403}:
        raise refusal
    if refusal.status == 404:  # the driver has not registered the cluster yet
        return ServiceView(Reach.ANSWERS)
    return ServiceView(Reach.REFUSED, why=refusal.title)


def _reach(cause: BaseException | None) -> Reach:
    if isinstance(cause, aiohttp.ClientSSLError):
        return Reach.UNTRUSTED
    return Reach.REFUSED if host_is_up(cause) else Reach.UNREACHABLE
