"""Is there a pull secret? Always holds: every image is on the ISO. Clients expect the id."""

from __future__ import annotations

from node0.validations.engine.facts import ClusterFacts
from node0.validations.engine.validation import Category, Gate, Validation, Verdict, success


def check(_facts: ClusterFacts) -> Verdict:
    return success("No pull secret is needed: every image is on the ISO.")


VALIDATION = Validation(id="pull-secret-set", category=Category.CONFIGURATION, gate=Gate.INPUT, check=check)
