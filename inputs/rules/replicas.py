"""Do the hosts that are listed make up the cluster that is asked for?"""

from __future__ import annotations

from collections.abc import Iterator

from inputs.document.findings import Finding
from inputs.rules.facts import Facts

_CONTROL_PLANE = ("controlPlane", "replicas")
_SIZES = (1, 3, 4, 5)


def control_plane_has_a_majority(facts: Facts) -> Iterator[Finding]:
    """etcd of two members stops when either fails: worse than one. More than five only make it slower."""
    for place in facts.install.find(int, *_CONTROL_PLANE):
        if place.value == 2:
            rule = "Two control-plane hosts have no majority when one fails."
            yield place.error("replicas-invalid", rule, "Write 1, 3, 4 or 5.")
        elif place.value not in _SIZES:
            rule = f"{place.value} control-plane hosts are not supported."
            yield place.error("replicas-invalid", rule, "Write 1, 3, 4 or 5; the other hosts can be workers.")


def hosts_match_replicas(facts: Facts) -> Iterator[Finding]:
    """Only hosts that are listed are let in, so too few never come together; too many contradict the count."""
    masters = next(facts.install.find(int, *_CONTROL_PLANE), None)
    if masters is None or not facts.hosts:
        return
    workers = sum(place.value for place in facts.install.find(int, "compute", ..., "replicas"))
    too_many = [
        *_too_many(facts, "master", masters.value, masters.where),
        *_too_many(facts, "worker", workers, "compute[0].replicas"),
    ]
    yield from too_many
    wanted, listed = masters.value + workers, len(facts.hosts)
    if listed < wanted:
        yield _about_hosts(
            facts,
            "hosts-too-few",
            f"{listed} hosts are listed, {wanted} are asked for ({masters.value} control plane, {workers} workers).",
            "List every host, or lower the replicas in install-config.yaml.",
        )
    elif listed > wanted and not too_many:
        yield _about_hosts(
            facts,
            "hosts-too-many",
            f"{listed} hosts are listed, {wanted} are asked for ({masters.value} control plane, {workers} workers).",
            "Raise compute[0].replicas in install-config.yaml, or list fewer hosts.",
        )


def _too_many(facts: Facts, role: str, replicas: int, where: str) -> Iterator[Finding]:
    places = [place for host in facts.hosts for place in host.find(str, "role") if place.value == role]
    for place in places[replicas:]:
        yield place.error(
            "hosts-too-many",
            f"{len(places)} hosts have the role {role}, {where} is {replicas}.",
            f"Raise {where} in install-config.yaml, or give this host another role.",
        )


def _about_hosts(facts: Facts, code: str, rule: str, remedy: str) -> Finding:
    first = facts.hosts[0]
    return first.source.finding(first.path[:-1], code, rule, remedy, at_key=True)
