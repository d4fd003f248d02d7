"""Can Kubernetes use the host's name?"""

from __future__ import annotations

import re

from node0.validations.engine.facts import HostFacts
from node0.validations.engine.validation import Category, Gate, Validation, Verdict, failure, pending, success

PATTERN = re.compile(r"[a-z0-9][a-z0-9-]{0,62}(?:[.][a-z0-9-]{1,63})*")
FORBIDDEN = frozenset(
    name + end for name in ("localhost",) for end in ("", ".localdomain", "4", "4.localdomain4", "6", "6.localdomain6")
)

REMEDY = "Set hosts[].hostname in agent-config.yaml to lower-case letters, digits and hyphens."


def check(facts: HostFacts) -> Verdict:
    name = facts.host.hostname
    if not name:
        return pending("Waiting for the inventory.")
    if name in FORBIDDEN:
        return failure(f"The host cannot be called {name}.", REMEDY)
    if PATTERN.fullmatch(name) is None:
        return failure(f"{name!r} is not a valid host name.", REMEDY)
    return success(f"The host is called {name}.")


VALIDATION = Validation(id="hostname-valid", category=Category.HARDWARE, gate=Gate.SUFFICIENT, check=check)
