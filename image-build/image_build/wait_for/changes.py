"""What is new between two looks, as lines. Nothing is said twice."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from agent.api.resources import Cluster, Host, Validation
from agent.api.states import Severity, ValidationStatus
from image_build.wait_for.lines import Kind, Line
from image_build.wait_for.observation import KubernetesView, NodeView, ServiceView

_BAD = frozenset({ValidationStatus.FAILURE, ValidationStatus.ERROR})

Checks = dict[tuple[str, str], Validation]


def events(view: ServiceView) -> Iterator[Line]:
    for event in view.events:
        yield Line(kind=Kind.EVENT, message=event.message, severity=event.severity, event=event.id)


def checks(before: Cluster | None, now: Cluster) -> Iterator[Line]:
    """Checks that fail now with other words than before, and those that hold again."""
    old, new = _bad_checks(before), _bad_checks(now)
    for (host, check), verdict in new.items():
        if old.get((host, check)) != verdict:
            yield Line(
                kind=Kind.CHECK, severity=Severity.WARNING, host=host, check=check,
                message=verdict.message, remedy=verdict.remedy,
            )  # fmt: skip
    for host, check in old.keys() - new.keys():
        yield Line(kind=Kind.CHECK, host=host, check=check, message="holds now")


def stages(before: Cluster | None, now: Cluster) -> Iterator[Line]:
    """Hosts that have reached another stage, or failed."""
    old = {host.id: host for host in before.hosts} if before else {}
    for host in now.hosts:
        was = old.get(host.id)
        stage = str(host.progress.current_stage)
        if stage and (was is None or str(was.progress.current_stage) != stage):
            yield Line(kind=Kind.STAGE, host=_name(host), stage=stage, message=stage,
                       percent=now.progress.total_percentage)  # fmt: skip


def stage_words(host: Host) -> str:
    """`alpha: Writing image to disk 37%`; empty before its install."""
    stage = host.progress.current_stage
    return f"{_name(host)}: {stage} {host.progress.progress_info}".rstrip() if stage else ""


def kubernetes(before: KubernetesView | None, now: KubernetesView) -> Iterator[Line]:
    if now.answers != bool(before and before.answers):
        words = "The Kubernetes API answers." if now.answers else "The Kubernetes API does not answer any more."
        yield Line(kind=Kind.KUBERNETES, message=words)
    if now.bootstrapped and not (before and before.bootstrapped):
        yield Line(kind=Kind.KUBERNETES, message="The control plane is bootstrapped.")
    if now.answers:
        yield from _nodes(before.nodes if before else (), now.nodes)


def _nodes(before: tuple[NodeView, ...], now: tuple[NodeView, ...]) -> Iterator[Line]:
    ready = {node.name: node.ready for node in before}
    for node in now:
        if ready.get(node.name) != node.ready:
            words = "is Ready" if node.ready else f"is not Ready: {node.why or 'no word from its kubelet'}"
            yield Line(kind=Kind.KUBERNETES, host=node.name, message=f"Node {node.name} {words}")


def _bad_checks(cluster: Cluster | None) -> Checks:
    if cluster is None:
        return {}
    found = {("", verdict.id): verdict for verdict in _verdicts(cluster.validations_info)}
    for host in cluster.hosts:
        found |= {(_name(host), verdict.id): verdict for verdict in _verdicts(host.validations_info)}
    return {key: verdict for key, verdict in found.items() if verdict.status in _BAD}


def _verdicts(validations_info: str) -> Iterator[Validation]:
    categories = msgspec.json.decode(validations_info, type=dict[str, list[Validation]])
    return (verdict for verdicts in categories.values() for verdict in verdicts)


def _name(host: Host) -> str:
    return host.requested_hostname or host.id
