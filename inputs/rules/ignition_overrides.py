"""What does the real `ignition-validate` say of the user's own configs?"""

from __future__ import annotations

from collections.abc import Iterator

from ignition.validate import Finding as IgnitionFinding
from ignition.validate import Severity as IgnitionSeverity
from ignition.validate import validate
from inputs.document.findings import Finding, FindingSeverity
from inputs.document.source import Place
from inputs.rules.facts import Facts

_SEVERITIES = {
    IgnitionSeverity.ERROR: FindingSeverity.ERROR,
    IgnitionSeverity.WARNING: FindingSeverity.WARNING,
    IgnitionSeverity.INFO: FindingSeverity.WARNING,
}


def overrides_are_ignition(facts: Facts) -> Iterator[Finding]:
    """Where the program is not installed nothing is said: `create image` cannot do without it."""
    checked: dict[str, list[IgnitionFinding]] = {}
    for place in _overrides(facts):
        try:
            found = checked[place.value] if place.value in checked else validate(place.value.encode())
        except FileNotFoundError:
            return
        checked[place.value] = found
        for complaint in found:
            rule = f"ignition-validate says: {complaint}."
            remedy = "See https://coreos.github.io/ignition/configuration-v3_3/."
            severity = _SEVERITIES[complaint.severity]
            yield place.source.finding(place.path, "ignition-override-invalid", rule, remedy, severity=severity)


def _overrides(facts: Facts) -> Iterator[Place[str]]:
    yield from (place for place in facts.agent.find(str, "ignitionConfigOverride") if place.value)
    for host in facts.hosts:
        yield from (place for place in host.find(str, "ignitionConfigOverride") if place.value)
