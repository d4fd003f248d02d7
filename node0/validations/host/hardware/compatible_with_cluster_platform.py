"""Does the machine fit the cluster's platform? Platforms vsphere and nutanix require machines of that manufacturer."""

from __future__ import annotations

from node0.validations.engine.facts import HostFacts, inventory_missing
from node0.validations.engine.validation import Category, Gate, Validation, Verdict, failure, success

MANUFACTURERS = {"vsphere": "vmware", "nutanix": "nutanix"}


def check(facts: HostFacts) -> Verdict:
    assert facts.cluster is not None
    platform, vendor = facts.cluster.spec.platform.type, facts.inventory.system_vendor.manufacturer
    required = MANUFACTURERS.get(platform, "")
    if required in vendor.lower():
        return success(f"The machine fits platform {platform}.")
    return failure(
        f"Platform {platform} needs machines made by {required}; this one is made by {vendor or 'an unknown vendor'}.",
        "Use platform none or baremetal in install-config.yaml.",
    )


VALIDATION = Validation(
    id="compatible-with-cluster-platform",
    category=Category.HARDWARE,
    gate=Gate.HARDWARE,
    check=check,
    applies=lambda facts: facts.cluster is not None,
    when="the cluster is registered",
    waits_for=inventory_missing,
)
