"""Reads `/etc/cluster0/cluster.json`, the intent of the ISO."""

from __future__ import annotations

from agent.machine.files import Files
from agent.model import host_paths
from agent.model.intent import ClusterIntent
from agent.model.problems import Problem


def read(files: Files) -> ClusterIntent:
    """Raises Problem when the file is missing, or is of another release."""
    intent = files.load(host_paths.INTENT_FILE, ClusterIntent)
    if intent is None:
        raise Problem(
            code="intent-missing",
            title=f"There is no {host_paths.INTENT_FILE}, so this host belongs to no cluster.",
            remedy="Boot from an ISO that `cluster0 create image` has made.",
        )
    return intent
