"""Does the pod network have a subnet of at least 128 addresses for every node? At least four nodes are assumed."""

from __future__ import annotations

from ipaddress import ip_network

from node0.validations.cluster.networks.given import networks_missing
from node0.validations.engine.facts import ClusterFacts
from node0.validations.engine.validation import Category, Gate, Validation, Verdict, failure, success

FEWEST_NODES = 4
LEAST_BITS = 7
REMEDY = "Correct networking.clusterNetwork in install-config.yaml."


def check(facts: ClusterFacts) -> Verdict:
    nodes = max(FEWEST_NODES, len(facts.hosts))
    for entry in facts.cluster.spec.cluster_networks:
        network = ip_network(entry.cidr)
        longest = network.max_prefixlen - LEAST_BITS
        if entry.host_prefix > longest:
            return failure(f"hostPrefix {entry.host_prefix} of {entry.cidr} is longer than {longest}.", REMEDY)
        subnets = 2 ** (entry.host_prefix - network.prefixlen) if entry.host_prefix >= network.prefixlen else 0
        if subnets < nodes:
            return failure(
                f"{entry.cidr} has {subnets} subnets of /{entry.host_prefix}; {nodes} nodes need one each.", REMEDY
            )
    return success("The pod network has a subnet for every node.")


VALIDATION = Validation(
    id="network-prefix-valid",
    category=Category.NETWORK,
    gate=Gate.SUFFICIENT,
    check=check,
    waits_for=networks_missing,
    depends_on=lambda host: host.id,
)
