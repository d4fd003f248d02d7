"""Do the hosts' clocks agree to within 4 minutes, with or without a time server?

etcd and certificates need it. Source of the limit: assisted-service.
"""

from __future__ import annotations

from agent.model.states import HostStatus
from node0.validations.engine.facts import ClusterFacts
from node0.validations.engine.validation import Category, Gate, Validation, Verdict, failure, success

SPREAD_SECONDS = 240
NOT_CHECKED = frozenset({HostStatus.DISCONNECTED, HostStatus.DISCOVERING})


def check(facts: ClusterFacts) -> Verdict:
    reported = [
        (host.clock_offset, host.label)
        for host in facts.hosts
        if host.clock_offset is not None and host.status not in NOT_CHECKED
    ]
    if not reported:
        return success("No host has reported its time yet.")
    (slowest, behind), (fastest, ahead) = min(reported), max(reported)
    if fastest - slowest <= SPREAD_SECONDS:
        return success("The hosts' clocks agree.")
    return failure(
        f"The clock of {ahead} is {(fastest - slowest) // 60} minutes ahead of {behind}'s.",
        "Set the clocks in the firmware, or set additionalNTPSources to servers that all hosts reach.",
    )


VALIDATION = Validation(
    id="ntp-server-configured",
    category=Category.NETWORK,
    gate=Gate.SUFFICIENT,
    check=check,
    depends_on=lambda host: (host.clock_offset, host.status in NOT_CHECKED, host.label),
)
