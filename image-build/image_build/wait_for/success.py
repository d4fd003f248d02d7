"""The last words of a wait that ended well."""

from __future__ import annotations

from agent.kubernetes.kubeconfig import read_kubeconfig
from image_build.wait_for.lines import Kind, Line
from image_build.wait_for.situation import Situation
from image_build.wait_for.target import Target
from image_build.wait_for.verdict import Goal


def success(goal: Goal, target: Target) -> Line:
    """Where the API is, which kubeconfig opens it, what comes next."""
    url, _ = read_kubeconfig(target.kubeconfig)
    api = f"{url}, kubeconfig {target.kubeconfig}"
    if goal is Goal.BOOTSTRAP_COMPLETE:
        message = f"The control plane of {target.intent.domain} is up: {api}"
        remedy = "Next: cluster0 wait-for install-complete"
        return Line(kind=Kind.RESULT, message=message, remedy=remedy, situation=Situation.FINALIZING)
    return Line(
        kind=Kind.RESULT,
        situation=Situation.INSTALLED,
        percent=100,
        message=f"{target.intent.domain} is installed: {api}",
        remedy=f"Next: kubectl --kubeconfig {target.kubeconfig} get nodes",
    )
