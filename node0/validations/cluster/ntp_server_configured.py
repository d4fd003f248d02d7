"""Do the hosts' clocks agree with each other, whether a time server is followed or not? etcd and certificates need
it: 4 minutes between the first and the last are allowed. Source: assisted-service."""

from __future__ import annotations

from agent.model.states import HostStatus
from node0.validations.engine.facts import ClusterFacts
from node0.validations.engine.validation import Category, Gate, Validation, Verdict, failure, success

SPREAD_SECONDS = 240
NOT_ASKED = frozenset({HostStatus.DISCONNECTED, HostStatus.DISCOVERING})


def check(facts: ClusterFacts) -> Verdict:
    told = [
        (host.clock_offset, host.label)
        for host in facts.hosts
        if host.clock_offset is not None and host.status not in NOT_ASKED
    ]
    if not told:
        return success("No host has told its time yet.")
    (slowest, behind), (fastest, ahead) = min(told), max(told)
    if fastest - slowest <= SPREAD_SECONDS:
        return success("The hosts' clocks agree.")
    return failure(
        f"The clock of {ahead} is {(fastest - slowest) // 60} minutes ahead of {behind}'s.",
        "Set the clocks in the firmware, or give additionalNTPSources that all hosts reach.",
    )


VALIDATION = Validation(
    id="ntp-server-configured",
    category=Category.NETWORK,
    gate=Gate.SUFFICIENT,
    check=check,
    depends_on=lambda host: (host.clock_offset, host.status in NOT_ASKED, host.label),
)
