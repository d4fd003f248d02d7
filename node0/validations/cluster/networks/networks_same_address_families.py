"""Do the cluster's networks have the same IP families: IPv4, IPv6, or both? The machine network may have more."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from ipaddress import ip_network

from node0.validations.cluster.networks.given import networks_missing
from node0.validations.engine.facts import ClusterFacts
from node0.validations.engine.validation import Category, Gate, Validation, Verdict, failure, success


def check(facts: ClusterFacts) -> Verdict:
    spec = facts.cluster.spec
    kinds = {
        "cluster": [entry.cidr for entry in spec.cluster_networks],
        "service": [entry.cidr for entry in spec.service_networks],
        "machine": [entry.cidr for entry in spec.machine_networks],
    }
    families = {kind: {ip_network(cidr).version for cidr in cidrs} for kind, cidrs in kinds.items() if cidrs}
    if families["cluster"] == families["service"] and families["cluster"] <= families.get("machine", {4, 6}):
        return success(f"Pods, services and hosts use {_words(families['cluster'])}.")
    words = ", ".join(f"the {kind} network is {_words(versions)}" for kind, versions in families.items())
    return failure(
        f"The IP families differ: {words}.", "Use the same IP families for every network in install-config.yaml."
    )


def _words(versions: AbstractSet[int]) -> str:
    return "+".join(f"IPv{version}" for version in sorted(versions))


VALIDATION = Validation(
    id="networks-same-address-families",
    category=Category.NETWORK,
    gate=Gate.SUFFICIENT,
    check=check,
    waits_for=networks_missing,
)
