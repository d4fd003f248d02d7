"""The cluster's names in DNS: which are asked for, and what hosts make of them."""

from __future__ import annotations

from collections.abc import Callable

from node0.store.records import ClusterRecord
from node0.validations.engine.facts import HostFacts
from node0.validations.engine.validation import Category, Gate, Rule, Verdict, failure, success

NOBODY = "validateNoWildcardDNS"


def domain(cluster: ClusterRecord) -> str:
    return f"{cluster.asked.name}.{cluster.asked.base_dns_domain}"


def asked_for(cluster: ClusterRecord) -> tuple[str, ...]:
    """Names to resolve; the last two should not exist."""
    own = domain(cluster)
    return (f"api.{own}", f"api-int.{own}", f"apps.{own}", f"{NOBODY}.{own}", f"{NOBODY}.{own}.")


def addresses(facts: HostFacts, name: str) -> tuple[str, ...]:
    """What the host resolves `name` to; nothing when it does not, or has not told."""
    found = next((item for item in facts.host.resolutions or () if item.domain_name == name), None)
    return found.ipv4_addresses + found.ipv6_addresses if found else ()


def has_answered(facts: HostFacts) -> bool:
    """Names are judged as soon as the host has told; waiting for it would hold up every site without DNS."""
    return (
        facts.host.resolutions is not None and facts.cluster is not None and bool(facts.cluster.asked.base_dns_domain)
    )


WHEN = "the host has looked"


def _check(label: str) -> Callable[[HostFacts], Verdict]:
    def check(facts: HostFacts) -> Verdict:
        assert facts.cluster is not None
        name = f"{label}.{domain(facts.cluster)}"
        if found := addresses(facts, name):
            return success(f"{name} is {', '.join(found)}.")
        return failure(f"{name} does not resolve.", "Add it to DNS for clients; the hosts themselves use addresses.")

    return check


def _rule(id: str, label: str) -> Rule[HostFacts]:
    return Rule(id=id, category=Category.NETWORK, gate=Gate.SHOWN, check=_check(label), applies=has_answered, when=WHEN)


API = _rule("api-domain-name-resolved-correctly", "api")
API_INT = _rule("api-int-domain-name-resolved-correctly", "api-int")
APPS = _rule("apps-domain-name-resolved-correctly", "apps")
