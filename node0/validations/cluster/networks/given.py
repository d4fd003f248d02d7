"""Which networks the inputs give the cluster."""

from __future__ import annotations

from node0.validations.engine.facts import ClusterFacts
from node0.validations.engine.validation import Verdict, failure, success


def verdict(kind: str, field: str, cidrs: list[str]) -> Verdict:
    """`kind`: the network in words; `field`: its key in `networking` of install-config.yaml."""
    if cidrs:
        return success(f"The {kind} network is {', '.join(cidrs)}.")
    return failure(f"No {kind} network is given.", f"Add networking.{field} to install-config.yaml.")


def networks_missing(facts: ClusterFacts) -> str:
    """For `Validation.waits_for`, where `check` compares the networks."""
    spec = facts.cluster.spec
    return "" if spec.cluster_networks and spec.service_networks else "the networks"
