"""Are there exactly as many control-plane hosts as were asked for?"""

from __future__ import annotations

from agent.model.intent import Role
from node0.validations.engine.facts import ClusterFacts
from node0.validations.engine.validation import Category, Gate, Validation, Verdict, failure, success


def check(facts: ClusterFacts) -> Verdict:
    found, wanted = facts.roles[Role.MASTER], facts.cluster.asked.control_plane_count
    words = f"{found} of {wanted} control-plane hosts are approved."
    if found == wanted:
        return success(words)
    if found < wanted:
        return failure(words, "Boot the missing hosts from the ISO; node0 approves those of agent-config.yaml.")
    return failure(words, "Correct controlPlane.replicas or the roles of the hosts.")


VALIDATION = Validation(
    id="sufficient-masters-count",
    category=Category.HOSTS_DATA,
    gate=Gate.SUFFICIENT,
    check=check,
    depends_on=lambda host: host.effective_role,
)
