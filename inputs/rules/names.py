"""The cluster has the same name in both files, and its domain is short enough."""

from __future__ import annotations

from collections.abc import Iterator

from inputs.document.findings import Finding
from inputs.facts.facts import Facts
from inputs.facts.field_path import field_path
from inputs.schema.agent_config import AgentConfig
from inputs.schema.install_config import InstallConfig

_NAME = field_path(InstallConfig, str, "metadata.name")
_BASE_DOMAIN = field_path(InstallConfig, str, "baseDomain")
_NAME_IN_AGENT_CONFIG = field_path(AgentConfig, str, "metadata.name")
_LONGEST = 253 - len("api-int.")
"""The longest domain of a cluster: names such as `api-int.DOMAIN` must be valid, too."""


def names_agree(facts: Facts) -> Iterator[Finding]:
    name = facts.install.first(_NAME)
    for other in facts.agent.find(_NAME_IN_AGENT_CONFIG):
        if name and other.value and other.value != name.value:
            rule = f"The cluster is called {name.value} in install-config.yaml, which overrides {other.value} here."
            yield other.warning("name-contradiction", rule, "Write the same name in both files.")
    for domain in facts.install.find(_BASE_DOMAIN):
        if name and len(f"{name.value}.{domain.value}") > _LONGEST:
            rule = f"{name.value}.{domain.value} is longer than {_LONGEST} characters."
            yield domain.error("domain-too-long", rule, "Shorten the name or the domain.")
