"""Which hosts of the inputs have come, and who else has; by the driver's own rule."""

from __future__ import annotations

from dataclasses import dataclass

from agent.api.clusters import Cluster
from agent.model.intent import ClusterIntent, HostIntent
from client.remote.hosts import host_name
from node0.create_cluster.match import Matched, Stranger, match


@dataclass(frozen=True)
class Presence:
    """`missing`: hosts of the inputs that none of the registered ones is. `strangers`: why others do not take part."""

    missing: tuple[HostIntent, ...]
    strangers: tuple[str, ...]


def presence(cluster: Cluster, intent: ClusterIntent) -> Presence:
    found = match(intent, cluster.hosts)
    here = [item.wanted for item in found if isinstance(item, Matched)]
    missing = tuple(host for host in intent.hosts if host not in here)
    # One that has not sent its inventory yet may be any of them.
    undecided = len(cluster.hosts) - len(found)
    strangers = tuple(_words(item) for item in found if isinstance(item, Stranger))
    return Presence(missing if len(missing) > undecided else (), strangers)


def _words(stranger: Stranger) -> str:
    return f"{host_name(stranger.host)} does not take part: {stranger.why}."
