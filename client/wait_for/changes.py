"""The changes between two observations, as lines. Each change appears once."""

from __future__ import annotations

from collections.abc import Iterator

from agent.api.clusters import Cluster
from agent.model.states import EventSeverity
from client.observe.observation import ApiNameView, KubernetesView, NodeView, ServiceView
from client.observe.peer_failures import PeerFailure
from client.remote.checks import failing_checks
from client.remote.hosts import host_name
from client.wait_for.lines import Line, LineKind
from client.wait_for.peer_matrix import peer_matrix


def events(view: ServiceView) -> Iterator[Line]:
    for event in view.events:
        yield Line(kind=LineKind.EVENT, message=event.message, severity=event.severity, event=event.id)


def checks(before: Cluster | None, now: Cluster) -> Iterator[Line]:
    """Validations that fail with a new message, and those that succeed again."""
    old, new = failing_checks(before) if before else {}, failing_checks(now)
    for (host, check), verdict in new.items():
        if old.get((host, check)) != verdict:
            yield Line(
                kind=LineKind.CHECK, severity=EventSeverity.WARNING, host=host, check=check,
                message=verdict.message, remedy=verdict.remedy,
            )  # fmt: skip
    for host, check in old.keys() - new.keys():
        yield Line(kind=LineKind.CHECK, host=host, check=check, message="holds now")


def peer_failures(before: frozenset[PeerFailure], now: frozenset[PeerFailure]) -> Iterator[Line]:
    """Tests between hosts that fail now, and those that succeed again; then all failures as a matrix."""
    for failure in sorted(now - before):
        yield _peer_failure(failure, EventSeverity.WARNING, failure.test)
    for failure in sorted(before - now):
        yield _peer_failure(failure, EventSeverity.INFO, f"not any more: {failure.test}")
    matrix = peer_matrix(now)
    if matrix and matrix != peer_matrix(before):
        message = "These hosts do not reach each other:"
        yield Line(kind=LineKind.MATRIX, severity=EventSeverity.WARNING, message=message, matrix=matrix)
    elif before and not matrix:
        yield Line(kind=LineKind.MATRIX, message="No pair of hosts fails any more.")


def _peer_failure(failure: PeerFailure, severity: EventSeverity, words: str) -> Line:
    way = f"{failure.address} through {failure.interface}" if failure.interface else failure.address
    return Line(
        kind=LineKind.PEER_FAILURE, severity=severity, host=failure.host, peer=failure.peer, address=failure.address,
        interface=failure.interface, message=f"to {failure.peer}, {way}: {words}",
    )  # fmt: skip


def stages(before: Cluster | None, now: Cluster) -> Iterator[Line]:
    """Hosts that have reached a new stage."""
    old = {host.id: host for host in before.hosts} if before else {}
    for host in now.hosts:
        was = old.get(host.id)
        stage = str(host.progress.current_stage)
        if stage and (was is None or str(was.progress.current_stage) != stage):
            yield Line(kind=LineKind.STAGE, host=host_name(host), stage=stage, message=stage,
                       percent=now.progress.total_percentage)  # fmt: skip


def kubernetes(before: KubernetesView | None, now: KubernetesView) -> Iterator[Line]:
    if now.answers != bool(before and before.answers):
        words = "The Kubernetes API answers." if now.answers else "The Kubernetes API does not answer any more."
        yield Line(kind=LineKind.KUBERNETES, message=words)
    if now.bootstrapped and not (before and before.bootstrapped):
        yield Line(kind=LineKind.KUBERNETES, message="The control plane is bootstrapped.")
    if now.by_name is not None and now.by_name != (before.by_name if before else None):
        yield _by_name(now.by_name)
    if now.answers:
        yield from _nodes(before.nodes if before else (), now.nodes)


def _by_name(view: ApiNameView) -> Line:
    if not view.why:
        return Line(kind=LineKind.KUBERNETES, message=f"The Kubernetes API answers as {view.name} too.")
    return Line(
        kind=LineKind.KUBERNETES, severity=EventSeverity.WARNING,
        message=f"The Kubernetes API answers by its address, but not as {view.name}: {view.why}.",
        remedy="The kubeconfig uses the address and needs no name; a DNS record is only for convenience.",
    )  # fmt: skip


def _nodes(before: tuple[NodeView, ...], now: tuple[NodeView, ...]) -> Iterator[Line]:
    ready = {node.name: node.ready for node in before}
    for node in now:
        if ready.get(node.name) != node.ready:
            words = "is Ready" if node.ready else f"is not Ready: {node.why or 'its kubelet does not report'}"
            yield Line(kind=LineKind.KUBERNETES, host=node.name, message=f"Node {node.name} {words}")
