"""What is new between two looks, as lines. Nothing is said twice."""

from __future__ import annotations

from collections.abc import Iterator

from agent.api.clusters import Cluster
from agent.model.states import EventSeverity
from client.observe.observation import KubernetesView, NamedView, NodeView, ServiceView
from client.observe.pairs import Pair
from client.remote.checks import failing_checks
from client.remote.hosts import host_name
from client.wait_for.lines import Kind, Line
from client.wait_for.matrix import matrix_of


def events(view: ServiceView) -> Iterator[Line]:
    for event in view.events:
        yield Line(kind=Kind.EVENT, message=event.message, severity=event.severity, event=event.id)


def checks(before: Cluster | None, now: Cluster) -> Iterator[Line]:
    """Checks that fail now with other words than before, and those that hold again."""
    old, new = failing_checks(before) if before else {}, failing_checks(now)
    for (host, check), verdict in new.items():
        if old.get((host, check)) != verdict:
            yield Line(
                kind=Kind.CHECK, severity=EventSeverity.WARNING, host=host, check=check,
                message=verdict.message, remedy=verdict.remedy,
            )  # fmt: skip
    for host, check in old.keys() - new.keys():
        yield Line(kind=Kind.CHECK, host=host, check=check, message="holds now")


def pairs(before: frozenset[Pair], now: frozenset[Pair]) -> Iterator[Line]:
    """Tests between hosts that fail now, and those that hold again; and all that fail, as a matrix."""
    for pair in sorted(now - before):
        yield _pair(pair, EventSeverity.WARNING, pair.test)
    for pair in sorted(before - now):
        yield _pair(pair, EventSeverity.INFO, f"not any more: {pair.test}")
    matrix = matrix_of(now)
    if matrix and matrix != matrix_of(before):
        message = "These hosts do not reach each other:"
        yield Line(kind=Kind.MATRIX, severity=EventSeverity.WARNING, message=message, matrix=matrix)
    elif before and not matrix:
        yield Line(kind=Kind.MATRIX, message="No pair of hosts fails any more.")


def _pair(pair: Pair, severity: EventSeverity, words: str) -> Line:
    way = f"{pair.address} through {pair.interface}" if pair.interface else pair.address
    return Line(
        kind=Kind.PAIR, severity=severity, host=pair.host, peer=pair.peer, address=pair.address,
        interface=pair.interface, message=f"to {pair.peer}, {way}: {words}",
    )  # fmt: skip


def stages(before: Cluster | None, now: Cluster) -> Iterator[Line]:
    """Hosts that have reached another stage, or failed."""
    old = {host.id: host for host in before.hosts} if before else {}
    for host in now.hosts:
        was = old.get(host.id)
        stage = str(host.progress.current_stage)
        if stage and (was is None or str(was.progress.current_stage) != stage):
            yield Line(kind=Kind.STAGE, host=host_name(host), stage=stage, message=stage,
                       percent=now.progress.total_percentage)  # fmt: skip


def kubernetes(before: KubernetesView | None, now: KubernetesView) -> Iterator[Line]:
    if now.answers != bool(before and before.answers):
        words = "The Kubernetes API answers." if now.answers else "The Kubernetes API does not answer any more."
        yield Line(kind=Kind.KUBERNETES, message=words)
    if now.bootstrapped and not (before and before.bootstrapped):
        yield Line(kind=Kind.KUBERNETES, message="The control plane is bootstrapped.")
    if now.by_name is not None and now.by_name != (before.by_name if before else None):
        yield _by_name(now.by_name)
    if now.answers:
        yield from _nodes(before.nodes if before else (), now.nodes)


def _by_name(view: NamedView) -> Line:
    if not view.why:
        return Line(kind=Kind.KUBERNETES, message=f"The Kubernetes API answers as {view.name} too.")
    return Line(
        kind=Kind.KUBERNETES, severity=EventSeverity.WARNING,
        message=f"The Kubernetes API answers by its address, but not as {view.name}: {view.why}.",
        remedy="The kubeconfig uses the address and needs no name; a record in DNS would be for people.",
    )  # fmt: skip


def _nodes(before: tuple[NodeView, ...], now: tuple[NodeView, ...]) -> Iterator[Line]:
    ready = {node.name: node.ready for node in before}
    for node in now:
        if ready.get(node.name) != node.ready:
            words = "is Ready" if node.ready else f"is not Ready: {node.why or 'no word from its kubelet'}"
            yield Line(kind=Kind.KUBERNETES, host=node.name, message=f"Node {node.name} {words}")
