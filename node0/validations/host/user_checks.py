"""The user's own checks: executables in `/etc/cluster0/checks.d` of the image. What each says is a validation of its
own, `user-<file name>`: it gates unless the check itself says that it does not, and can be waived like any other."""

from __future__ import annotations

from collections.abc import Callable

from agent.api.checks import UserVerdict
from node0.validations.engine.facts import HostFacts
from node0.validations.engine.validation import Category, Gate, Rule, Verdict

USER_PREFIX = "user-"


def rules(facts: HostFacts) -> tuple[Rule[HostFacts], ...]:
    """One for each check that the host ran."""
    return tuple(_rule(verdict) for verdict in facts.host.user_checks or ())


def _rule(verdict: UserVerdict) -> Rule[HostFacts]:
    gate = Gate.SUFFICIENT if verdict.gates else Gate.SHOWN
    return Rule(id=f"{USER_PREFIX}{verdict.id}", category=Category.USER, gate=gate, check=_told(verdict))


def _told(verdict: UserVerdict) -> Callable[[HostFacts], Verdict]:
    return lambda _facts: Verdict(verdict.status, verdict.message, verdict.remedy)
