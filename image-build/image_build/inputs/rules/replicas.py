"""Do the hosts that are listed make up the cluster that is asked for?"""

from __future__ import annotations

from collections.abc import Iterator

from image_build.inputs.findings import Finding
from image_build.inputs.rules.facts import Facts
from image_build.inputs.source import Place

_CONTROL_PLANE = ("controlPlane", "replicas")


def control_plane_has_a_majority(facts: Facts) -> Iterator[Finding]:
    """etcd of two members stops when either fails: worse than one."""
    for place in facts.install.find(int, *_CONTROL_PLANE):
        if place.value == 2:
            yield place.error("replicas-invalid", "Two control-plane hosts have no majority when one fails.",
                              "Write 1, 3, 4 or 5.")  # fmt: skip


def hosts_match_replicas(facts: Facts) -> Iterator[Finding]:
    """Only hosts that are listed are let in, so too few never come together; too many contradict the count."""
    masters = next(facts.install.find(int, *_CONTROL_PLANE), None)
    if masters is None or not facts.hosts:
        return
    yield from _too_many(facts, "master", masters.value, masters.where)
    workers = sum(place.value for place in facts.install.find(int, "compute", ..., "replicas"))
    yield from _too_many(facts, "worker", workers, "compute[0].replicas")
    wanted, listed = masters.value + workers, len(facts.hosts)
    if listed < wanted:
        yield _hosts(facts).error(
            "hosts-too-few",
            f"{listed} hosts are listed, {wanted} are asked for ({masters.value} control plane, {workers} workers).",
            "List every host, or lower the replicas in install-config.yaml.",
        )
    elif listed > wanted and not any(host.text("role") for host in facts.hosts):
        yield _hosts(facts).error(
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


def _hosts(facts: Facts) -> Place[list[object]]:
    return next(facts.agent.find(list, "hosts"))
