"""`ignition-validate` accepts the user's Ignition configs."""

from __future__ import annotations

from collections.abc import Iterator

from ignition.validate import MessageKind, ValidatorMessage, validate
from inputs.document.findings import Finding, FindingSeverity
from inputs.document.source import Place
from inputs.facts.facts import Facts
from inputs.facts.field_path import field_path
from inputs.schema.agent_config import AgentConfig, Host

_OF_ALL_HOSTS = field_path(AgentConfig, str, "ignitionConfigOverride")
_OF_ONE_HOST = field_path(Host, str, "ignitionConfigOverride")
_SEVERITIES = {
    MessageKind.ERROR: FindingSeverity.ERROR,
    MessageKind.WARNING: FindingSeverity.WARNING,
    MessageKind.INFO: FindingSeverity.WARNING,
}


def overrides_are_ignition(facts: Facts) -> Iterator[Finding]:
    """No findings where the program is not installed: `create image` needs it and reports that."""
    checked: dict[str, list[ValidatorMessage]] = {}
    for place in _overrides(facts):
        try:
            found = checked[place.value] if place.value in checked else validate(place.value.encode())
        except FileNotFoundError:
            return
        checked[place.value] = found
        for each in found:
            rule = f"ignition-validate says: {each}."
            remedy = "See https://coreos.github.io/ignition/configuration-v3_3/."
            severity = _SEVERITIES[each.severity]
            yield place.source.finding(place.path, "ignition-override-invalid", rule, remedy, severity=severity)


def _overrides(facts: Facts) -> Iterator[Place[str]]:
    yield from (place for place in facts.agent.find(_OF_ALL_HOSTS) if place.value)
    for host in facts.hosts:
        yield from (place for place in host.find(_OF_ONE_HOST) if place.value)
