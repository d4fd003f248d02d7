"""Can the host read the medium that it booted from? The install copies from it."""

from __future__ import annotations

from node0.validations.engine.facts import HostFacts
from node0.validations.engine.validation import Category, Gate, Validation, Verdict, failure, success


def check(facts: HostFacts) -> Verdict:
    if facts.host.media_connected:
        return success("The host can read its installation medium.")
    return failure(
        "The host cannot read the medium that it booted from.",
        "Plug the medium in again, or attach the ISO to the machine's virtual drive again.",
    )


VALIDATION = Validation(id="media-connected", category=Category.NETWORK, gate=Gate.CONNECTION, check=check)
