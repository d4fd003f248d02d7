"""Does the host's clock agree with node0's, so that certificates are valid on both?

Source of the limits: assisted-service.
"""

from __future__ import annotations

from node0.validations.engine.facts import HostFacts
from node0.validations.engine.validation import Category, Gate, Validation, Verdict, failure, pending, success

BEHIND_MINUTES = 20
AHEAD_MINUTES = 60


def check(facts: HostFacts) -> Verdict:
    if facts.host.clock_offset is None:
        return pending("The host has not reported its time yet.")
    minutes = int(abs(facts.host.clock_offset) / 60)
    is_ahead = facts.host.clock_offset > 0
    if minutes < (AHEAD_MINUTES if is_ahead else BEHIND_MINUTES):
        return success("The host's clock agrees with node0's.")
    return failure(
        f"The host's clock is {minutes} minutes {'ahead of' if is_ahead else 'behind'} node0's.",
        "Set the clocks in the firmware, or set additionalNTPSources to servers that both reach.",
    )


VALIDATION = Validation(
    id="time-synced-between-host-and-service", category=Category.NETWORK, gate=Gate.SUFFICIENT, check=check
)
