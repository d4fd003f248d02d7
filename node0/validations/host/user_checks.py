"""The user's own checks: executables in `/etc/cluster0/checks.d` of the image. Each becomes a validation.

Its id is `user-<file name>`. It gates unless the check reports that it does not, and the user can ignore it.
"""

from __future__ import annotations

from collections.abc import Callable

from agent.api.checks import UserVerdict
from node0.validations.engine.facts import HostFacts
from node0.validations.engine.validation import Category, Gate, Validation, Verdict

USER_PREFIX = "user-"


def validations(facts: HostFacts) -> tuple[Validation[HostFacts], ...]:
    """One for each check that the host ran."""
    return tuple(_validation(reported) for reported in facts.host.user_checks or ())


def _validation(reported: UserVerdict) -> Validation[HostFacts]:
    gate = Gate.SUFFICIENT if reported.gates else Gate.SHOWN
    return Validation(id=f"{USER_PREFIX}{reported.id}", category=Category.USER, gate=gate, check=_repeat(reported))


def _repeat(reported: UserVerdict) -> Callable[[HostFacts], Verdict]:
    return lambda _facts: Verdict(reported.status, reported.message, reported.remedy)
