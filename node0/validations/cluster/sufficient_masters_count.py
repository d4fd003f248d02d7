"""Is the number of approved control-plane hosts the requested number?"""

from __future__ import annotations

from agent.model.intent import Role
from node0.validations.engine.facts import ClusterFacts
from node0.validations.engine.validation import Category, Gate, Validation, Verdict, failure, success


def check(facts: ClusterFacts) -> Verdict:
    found, requested = facts.roles[Role.MASTER], facts.cluster.spec.control_plane_count
    words = f"{found} of {requested} control-plane hosts are approved."
    if found == requested:
        return success(words)
    if found < requested:
        return failure(words, "Boot the missing hosts from the ISO; node0 approves those of agent-config.yaml.")
    return failure(words, "Correct controlPlane.replicas or the roles of the hosts.")


VALIDATION = Validation(
    id="sufficient-masters-count",
    category=Category.HOSTS_DATA,
    gate=Gate.SUFFICIENT,
    check=check,
    depends_on=lambda host: host.effective_role,
)
