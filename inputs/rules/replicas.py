"""The control plane has a supported size, and the listed hosts make up the requested cluster."""

from __future__ import annotations

from collections.abc import Iterator

from inputs.document.findings import Finding
from inputs.facts.facts import CONTROL_PLANE_REPLICAS, WORKER_REPLICAS, Facts
from inputs.facts.hosts import ROLE

_SIZES = (1, 3, 4, 5)


def control_plane_has_a_majority(facts: Facts) -> Iterator[Finding]:
    """etcd with two members stops when either fails: worse than with one. More than five members only slow it down."""
    for place in facts.install.find(CONTROL_PLANE_REPLICAS):
        if place.value == 2:
            rule = "Two control-plane hosts have no majority when one fails."
            yield place.error("replicas-invalid", rule, "Write 1, 3, 4 or 5.")
        elif place.value not in _SIZES:
            rule = f"{place.value} control-plane hosts are not supported."
            yield place.error("replicas-invalid", rule, "Write 1, 3, 4 or 5; the other hosts can be workers.")


def hosts_match_replicas(facts: Facts) -> Iterator[Finding]:
    """Only listed hosts may register: with too few the install never starts, and too many contradict the replicas."""
    masters = facts.install.first(CONTROL_PLANE_REPLICAS)
    if masters is None or not facts.hosts:
        return
    workers = sum(place.value for place in facts.install.find(WORKER_REPLICAS))
    too_many = [
        *_too_many(facts, "master", masters.value, masters.where),
        *_too_many(facts, "worker", workers, "compute[0].replicas"),
    ]
    yield from too_many
    requested, listed = masters.value + workers, len(facts.hosts)
    rule = f"{listed} hosts are listed, {requested} are requested ({masters.value} control plane, {workers} workers)."
    if listed < requested:
        remedy = "List every host, or lower the replicas in install-config.yaml."
        yield _about_hosts(facts, "hosts-too-few", rule, remedy)
    elif listed > requested and not too_many:
        remedy = "Raise compute[0].replicas in install-config.yaml, or list fewer hosts."
        yield _about_hosts(facts, "hosts-too-many", rule, remedy)


def _too_many(facts: Facts, role: str, replicas: int, where: str) -> Iterator[Finding]:
    places = [place for host in facts.hosts for place in host.find(ROLE) if place.value == role]
    for place in places[replicas:]:
        yield place.error(
            "hosts-too-many",
            f"{len(places)} hosts have the role {role}, but {where} is {replicas}.",
            f"Raise {where} in install-config.yaml, or give this host another role.",
        )


def _about_hosts(facts: Facts, code: str, rule: str, remedy: str) -> Finding:
    first = facts.hosts[0]
    return first.source.finding(first.path[:-1], code, rule, remedy, at_key=True)
