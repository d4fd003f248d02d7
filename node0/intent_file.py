"""`/etc/cluster0/cluster.json`, as node0's programs read it."""

from __future__ import annotations

from agent.machine.files import Files
from agent.model import host_paths
from agent.model.intent import ClusterIntent
from agent.model.problems import Problem


def read(files: Files) -> ClusterIntent:
    """Raises Problem when there is none, or not one of this release's."""
    intent = files.load(host_paths.INTENT_FILE, ClusterIntent)
    if intent is None:
        raise Problem(
            code="intent-missing",
            title=f"There is no {host_paths.INTENT_FILE}, so nothing is known of a cluster.",
            remedy="Boot an ISO that `cluster0 create image` has made.",
        )
    return intent
