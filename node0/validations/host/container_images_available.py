"""Are all container images of the release on the host? They come with the ISO; a damaged medium may miss some."""

from __future__ import annotations

from node0.validations.engine.facts import HostFacts
from node0.validations.engine.validation import Category, Gate, Validation, Verdict, failure, success


def check(facts: HostFacts) -> Verdict:
    assert facts.host.images is not None
    missing = [image.name for image in facts.host.images if image.result != "success"]
    if not missing:
        return success(f"All {len(facts.host.images)} container images are there.")
    return failure(f"Missing on the host: {', '.join(missing)}.", "Write the ISO to the medium anew and start from it.")


VALIDATION = Validation(
    id="container-images-available",
    category=Category.NETWORK,
    gate=Gate.SUFFICIENT,
    check=check,
    applies=lambda facts: facts.host.images is not None,
    when="the host has looked, at the latest when the install is prepared",
)
