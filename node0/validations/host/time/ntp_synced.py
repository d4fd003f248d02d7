"""Does the host follow a time server? Shown only: a site without one can be installed if the clocks agree."""

from __future__ import annotations

from node0.validations.engine.facts import HostFacts, few
from node0.validations.engine.validation import Category, Gate, Validation, Verdict, failure, success


def check(facts: HostFacts) -> Verdict:
    sources = facts.host.ntp_sources
    for source in sources:
        if source.source_state == "synced":
            return success(f"The host follows the time server {source.source_name}.")
    names = few([f"{source.source_name} ({source.source_state})" for source in sources]) or "none known"
    return failure(
        f"The host follows no time server: {names}.", "Set additionalNTPSources to servers that the host reaches."
    )


VALIDATION = Validation(id="ntp-synced", category=Category.NETWORK, gate=Gate.SHOWN, check=check)
