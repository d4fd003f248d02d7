"""Is every host that takes part ready to install?"""

from __future__ import annotations

from agent.model.states import HostStatus
from node0.validations.engine.facts import ClusterFacts, few
from node0.validations.engine.validation import Category, Gate, Validation, Verdict, failure, success

READY = frozenset({HostStatus.KNOWN, HostStatus.PREPARING_FOR_INSTALLATION, HostStatus.PREPARING_SUCCESSFUL})


def check(facts: ClusterFacts) -> Verdict:
    behind = [f"{host.label} is {host.status}" for host in facts.hosts if host.status not in READY]
    if not behind:
        return success("All hosts are ready.")
    return failure(f"Not all hosts are ready: {few(behind)}.", "See the validations of these hosts.")


VALIDATION = Validation(
    id="all-hosts-are-ready-to-install",
    category=Category.HOSTS_DATA,
    gate=Gate.SUFFICIENT,
    check=check,
    depends_on=lambda host: (host.status, host.label),
)
