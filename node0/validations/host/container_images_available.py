"""Are all container images of the release on the host? They come with the ISO; a damaged medium may lack some."""

from __future__ import annotations

from node0.validations.engine.facts import HostFacts, few
from node0.validations.engine.validation import Category, Gate, Validation, Verdict, failure, success


def check(facts: HostFacts) -> Verdict:
    assert facts.host.images is not None
    missing = [image.name for image in facts.host.images if image.result != "success"]
    if not missing:
        return success(f"All {len(facts.host.images)} container images are on the host.")
    return failure(f"Missing on the host: {few(missing)}.", "Write the ISO to the medium again and boot from it.")


VALIDATION = Validation(
    id="container-images-available",
    category=Category.NETWORK,
    gate=Gate.SUFFICIENT,
    check=check,
    applies=lambda facts: facts.host.images is not None,
    when="the host has reported its images, at the latest when it prepares for the install",
)
