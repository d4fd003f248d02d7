"""Is a virtual address for the API given?

keepalived moves it between the control-plane hosts, so platform baremetal needs it as soon as there are several.
"""

from __future__ import annotations

from node0.validations.engine.facts import ClusterFacts
from node0.validations.engine.validation import Category, Gate, Validation, Verdict, failure, success


def check(facts: ClusterFacts) -> Verdict:
    if vips := facts.cluster.spec.api_vips:
        return success(f"The API's virtual address is {', '.join(vip.ip for vip in vips)}.")
    return failure("No virtual address is given for the API.", "Add platform.baremetal.apiVIPs to install-config.yaml.")


def needs_api_vip(facts: ClusterFacts) -> bool:
    spec = facts.cluster.spec
    return spec.platform.type != "none" and spec.control_plane_count > 1


VALIDATION = Validation(
    id="api-vips-defined",
    category=Category.NETWORK,
    gate=Gate.INPUT,
    check=check,
    applies=needs_api_vip,
    when="platform baremetal with more than one control-plane host",
)
