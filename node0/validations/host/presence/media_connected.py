"""Can the host read the medium that it was started from? The install copies from it."""

from __future__ import annotations

from node0.validations.engine.facts import HostFacts
from node0.validations.engine.validation import Category, Gate, Validation, Verdict, failure, success


def check(facts: HostFacts) -> Verdict:
    if facts.host.media_connected:
        return success("The host can read its installation medium.")
    return failure(
        "The host cannot read the medium that it was started from.",
        "Plug it in again, or attach the ISO again to the machine's virtual drive.",
    )


VALIDATION = Validation(id="media-connected", category=Category.NETWORK, gate=Gate.CONNECTION, check=check)
