"""The last words of a wait that ended well."""

from __future__ import annotations

from agent.kubernetes.kubeconfig import read_kubeconfig
from cli.options import named
from client.observe.observation import Observation
from client.observe.phase import Situation
from client.remote.target import Target
from client.wait_for.lines import Kind, Line
from client.wait_for.verdict import Goal


def success(goal: Goal, target: Target, seen: Observation) -> Line:
    """Where the API is, which kubeconfig opens it, what comes next. `seen`: the last look."""
    url, _ = read_kubeconfig(target.kubeconfig)
    api = f"{url}, kubeconfig {target.kubeconfig}"
    if goal is Goal.BOOTSTRAP_COMPLETE:
        return Line(
            kind=Kind.RESULT, situation=Situation.FINALIZING, api_url=url, kubeconfig=str(target.kubeconfig),
            message=f"The control plane of {target.intent.domain} is up: {api}",
            remedy=f"Next: cluster0 wait-for install-complete --dir {named(target.directory)}",
        )  # fmt: skip
    return Line(
        kind=Kind.RESULT, situation=Situation.INSTALLED, percent=100, api_url=url, kubeconfig=str(target.kubeconfig),
        message=f"{target.intent.domain} is installed with {_nodes(seen)}: {api}",
        remedy=f"Next: kubectl --kubeconfig {named(target.kubeconfig)} get nodes",
    )  # fmt: skip


def _nodes(seen: Observation) -> str:
    ready = sum(node.ready for node in seen.kubernetes.nodes)
    return f"{ready} Ready node{'s' if ready != 1 else ''}"
