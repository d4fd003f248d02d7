"""Which hosts of the inputs have registered, and which other hosts have; matched as the driver matches them."""

from __future__ import annotations

from dataclasses import dataclass

from agent.api.clusters import Cluster
from agent.model.intent import ClusterIntent, HostIntent
from client.remote.hosts import host_name
from node0.create_cluster.match import UnmatchedHost, match


@dataclass(frozen=True)
class Presence:
    """`missing`: hosts of the inputs that have not registered. `unmatched`: a sentence for each other host."""

    missing: tuple[HostIntent, ...]
    unmatched: tuple[str, ...]


def presence(cluster: Cluster, intent: ClusterIntent) -> Presence:
    found = match(intent, cluster.hosts)
    here = [item.intent for item in found.matched]
    missing = tuple(host for host in intent.hosts if host not in here)
    # A host that has not sent its inventory yet may be any of them.
    undecided = len(cluster.hosts) - len(found.matched) - len(found.unmatched)
    unmatched = tuple(map(_sentence, found.unmatched))
    return Presence(missing if len(missing) > undecided else (), unmatched)


def _sentence(host: UnmatchedHost) -> str:
    return f"{host_name(host.host)} does not take part: {host.why}."
