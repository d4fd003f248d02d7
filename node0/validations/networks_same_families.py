"""Do all the cluster's networks speak the same: IPv4, IPv6, or both?"""

from __future__ import annotations

from ipaddress import ip_network

from node0.validations.facts import ClusterFacts
from node0.validations.networks_defined import missing
from node0.validations.rule import Category, Gate, Rule, Verdict, failure, success


def check(facts: ClusterFacts) -> Verdict:
    asked = facts.cluster.asked
    kinds = {
        "cluster": [entry.cidr for entry in asked.cluster_networks],
        "service": [entry.cidr for entry in asked.service_networks],
        "machine": [entry.cidr for entry in asked.machine_networks],
    }
    families = {
        kind: "+".join(f"IPv{version}" for version in sorted({ip_network(cidr).version for cidr in cidrs}))
        for kind, cidrs in kinds.items()
        if cidrs
    }
    if len(set(families.values())) == 1:
        return success(f"All networks are {families['cluster']}.")
    words = ", ".join(f"the {kind} network is {family}" for kind, family in families.items())
    return failure(f"Not one family: {words}.", "Give each network in the same families in install-config.yaml.")


RULE = Rule(
    id="networks-same-address-families",
    category=Category.NETWORK,
    gate=Gate.SUFFICIENT,
    check=check,
    waits_for=missing,
)
