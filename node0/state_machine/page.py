"""The page docs/states.md: the state tables as Mermaid diagrams and with every sentence, and all limits."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from node0.state_machine.cluster import CLUSTER_TRANSITIONS
from node0.state_machine.host import HOST_TRANSITIONS
from node0.state_machine.limits import MINUTE, NAMES, Limits, stage_variable
from node0.state_machine.transition import Transition

INTRODUCTION = """# States

The states of hosts and of the cluster, as assisted-service names them. `pytest --regenerate` makes
this page from `node0/state_machine/host.py` and `cluster.py`; do not edit it.

A row of a table says: at the event *on*, a host goes from the state *from* to the state *to*. The
API then shows the sentence as `status_info`. The first row that fits decides. Conditions of rows
are in the code. The event `refreshed` happens after every change, and when a [limit](#limits) has
passed. An arrow from a state to itself changes only the sentence.
"""


def page() -> str:
    """Markdown."""
    return "\n".join(
        [INTRODUCTION, *_table("Hosts", HOST_TRANSITIONS), *_table("The cluster", CLUSTER_TRANSITIONS), *_limits()]
    )


def _table(title: str, transitions: Iterable[Transition[Any, Any, Any]]) -> Iterator[str]:
    transitions = tuple(transitions)
    yield f"## {title}\n\n```mermaid\nstateDiagram-v2"
    yield from sorted({f"    {_node(at)} --> {_node(row.to)}: {row.on}" for row in transitions for at in row.at})
    yield "```\n\n| on | from | to | status_info |\n|---|---|---|---|"
    for row in transitions:
        yield f"| {row.on} | {', '.join(sorted(row.at))} | {row.to} | {_sentence(row.why)} |"
    yield ""


def _node(state: str) -> str:
    """Mermaid takes no hyphens in names."""
    return state.replace("-", "_")


def _sentence(why: str) -> str:
    """`{case.unresponsive_minutes}` → *unresponsive minutes*."""
    return re.sub(r"\{case\.([\w.]+)[^}]*\}", lambda found: f"*{found[1].rpartition('.')[2].replace('_', ' ')}*", why)


def _limits() -> Iterator[str]:
    limits = Limits()
    yield "## Limits\n\nHow long a state or a stage may last. A drop-in of `cluster0-node0.service` can set each:"
    yield "`Environment=INSTALLATION_TIMEOUT=12h`."
    yield "\n| variable | minutes |\n|---|---|"
    for name, field in NAMES.items():
        yield f"| `{name}` | {getattr(limits, field) / MINUTE:g} |"
    for stage, seconds in limits.stages.items():
        yield f"| `{stage_variable(stage)}` | {seconds / MINUTE:g} |"
    yield ""
