"""The cluster's names in DNS: which ones hosts resolve, and to which addresses."""

from __future__ import annotations

from node0.store.records import ClusterRecord
from node0.validations.engine.facts import HostFacts
from node0.validations.engine.validation import Verdict, failure, success

# A label that no site defines. Source: assisted-service.
UNDEFINED_LABEL = "validateNoWildcardDNS"

WHEN = "the host has reported how it resolves the names"


def domain(cluster: ClusterRecord) -> str:
    return f"{cluster.spec.name}.{cluster.spec.base_dns_domain}"


def names_to_resolve(cluster: ClusterRecord) -> tuple[str, ...]:
    """The last two should not resolve."""
    own = domain(cluster)
    return (f"api.{own}", f"api-int.{own}", f"apps.{own}", f"{UNDEFINED_LABEL}.{own}", f"{UNDEFINED_LABEL}.{own}.")


def addresses(facts: HostFacts, name: str) -> tuple[str, ...]:
    """What the host resolves `name` to; empty where it does not resolve, or was not reported."""
    found = next((item for item in facts.host.resolutions or () if item.domain_name == name), None)
    return found.ipv4_addresses + found.ipv6_addresses if found else ()


def has_reported(facts: HostFacts) -> bool:
    """For `Validation.applies`. To wait for the report would hold up every site without DNS."""
    return facts.host.resolutions is not None and facts.cluster is not None and bool(facts.cluster.spec.base_dns_domain)


def verdict(facts: HostFacts, label: str) -> Verdict:
    """Whether the host resolves `label` in the cluster's domain."""
    assert facts.cluster is not None
    name = f"{label}.{domain(facts.cluster)}"
    if found := addresses(facts, name):
        return success(f"{name} resolves to {', '.join(found)}.")
    return failure(f"{name} does not resolve.", "Add it to DNS for clients; the hosts themselves use addresses.")
