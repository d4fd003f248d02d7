"""The page on the screen: 80 columns, 24 rows, ASCII, the same from top to bottom in every phase. Pure."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from agent.console.view import View
from agent.console.words import WHAT_TO_DO
from agent.model.host_documents import AgentPhase, AgentStatus, ClusterStatusFile
from agent.model.printable import printable
from agent.model.problems import ProblemReport

COLUMNS = 80
ROWS = 24
MORE = "journalctl -b -u 'cluster0-*'"


def render(view: View) -> str:
    """At most 23 lines, so that the last newline does not scroll the first one away."""
    body = [*_head(view), "", *_problems(view.problems), *_cluster(view.cluster)]
    foot = ["", *_to_do(view.status), f"To look closer: ssh core@{_address(view.status)}, then {MORE}"]
    room = ROWS - 1 - len(foot)
    if len(body) > room:
        body = [*body[: room - 1], f"  ... and more: {MORE}"]
    return "".join(f"{printable(line)[:COLUMNS].rstrip()}\n" for line in (*body, *foot))


def _head(view: View) -> Iterator[str]:
    yield f"cluster0 {view.version}".ljust(COLUMNS // 2) + (view.cluster.name if view.cluster else "").rjust(
        COLUMNS // 2
    )
    yield "-" * COLUMNS
    status = view.status
    if status is None:
        yield f"{view.hostname}: starting"
        return
    yield f"host       {view.hostname}{'   (this is node0)' if status.is_node0 else ''}"
    yield f"addresses  {' '.join(status.addresses) or 'none yet'}"
    if status.rendezvous_ip:
        who = f", {status.node0}" if status.phase is AgentPhase.WAITING_FOR_NODE0 and not status.is_node0 else ""
        yield from _wrapped(f"node0 at   {status.rendezvous_ip}{who}", indent="")
    yield f"state      {status.phase.upper()}"
    yield from _wrapped(status.detail, indent="           ")


def _problems(problems: tuple[ProblemReport, ...]) -> Iterator[str]:
    for problem in problems:
        yield from _wrapped(f"! {problem.code}: {problem.title}")
        for text in (*problem.detail.splitlines(), *problem.remedy.splitlines()):
            yield from _wrapped(text, indent="    ")
    if problems:
        yield ""


def _cluster(cluster: ClusterStatusFile | None) -> Iterator[str]:
    if cluster is None:
        return
    yield from _wrapped(f"cluster {cluster.name}: {cluster.status}. {cluster.status_info}")
    for host in cluster.hosts:
        yield f"  {host.name:<20} {host.status:<24} {host.detail}"


def _to_do(status: AgentStatus | None) -> list[str]:
    lines = WHAT_TO_DO[status.phase].splitlines() if status else []
    return [part for line in lines for part in textwrap.wrap(line, COLUMNS)]


def _address(status: AgentStatus | None) -> str:
    return status.addresses[0] if status and status.addresses else "ADDRESS"


def _wrapped(text: str, indent: str = "") -> list[str]:
    return textwrap.wrap(text, COLUMNS, initial_indent=indent, subsequent_indent=indent or "  ")
