"""Is a machine network given? The cluster has a validation of the same id."""

from __future__ import annotations

from node0.validations.engine.facts import HostFacts
from node0.validations.engine.validation import Category, Gate, Validation, Verdict, failure, success


def check(facts: HostFacts) -> Verdict:
    assert facts.cluster is not None
    if networks := [entry.cidr for entry in facts.cluster.spec.machine_networks]:
        return success(f"The machine network is {', '.join(networks)}.")
    return failure("No machine network is given.", "Add networking.machineNetwork to install-config.yaml.")


VALIDATION = Validation(
    id="machine-cidr-defined",
    category=Category.NETWORK,
    gate=Gate.INPUT,
    check=check,
    applies=lambda facts: facts.cluster is not None and facts.cluster.spec.platform.type != "none",
    when="the platform is not none",
)
