"""What does the real `ignition-validate` say of the user's own configs?"""

from __future__ import annotations

from collections.abc import Iterator

from ignition.validate import Finding as Complaint
from ignition.validate import Severity as Gravity
from ignition.validate import validate
from inputs.document.findings import Finding, Severity
from inputs.document.source import Place
from inputs.rules.facts import Facts

_GRAVITY = {Gravity.ERROR: Severity.ERROR, Gravity.WARNING: Severity.WARNING, Gravity.INFO: Severity.WARNING}


def overrides_are_ignition(facts: Facts) -> Iterator[Finding]:
    """Where the program is not installed nothing is said: `create image` cannot do without it."""
    judged: dict[str, list[Complaint]] = {}
    for place in _overrides(facts):
        try:
            complaints = judged[place.value] if place.value in judged else validate(place.value.encode())
        except FileNotFoundError:
            return
        judged[place.value] = complaints
        for complaint in complaints:
            rule = f"ignition-validate says: {complaint}."
            remedy = "See https://coreos.github.io/ignition/configuration-v3_3/."
            severity = _GRAVITY[complaint.severity]
            yield place.source.finding(place.path, "ignition-override-invalid", rule, remedy, severity=severity)


def _overrides(facts: Facts) -> Iterator[Place[str]]:
    yield from (place for place in facts.agent.find(str, "ignitionConfigOverride") if place.value)
    for host in facts.hosts:
        yield from (place for place in host.find(str, "ignitionConfigOverride") if place.value)
