"""The hosts are described in one file only."""

from __future__ import annotations

from collections.abc import Iterator

from inputs.document.findings import Finding
from inputs.facts.facts import AGENT_HOSTS, INSTALL_HOSTS, Facts


def hosts_are_in_one_file(facts: Facts) -> Iterator[Finding]:
    for place in facts.install.find(INSTALL_HOSTS):
        if place.value and facts.agent.has(AGENT_HOSTS):
            rule = "These hosts are ignored: the hosts of agent-config.yaml override them."
            yield place.warning("hosts-ignored", rule, "Keep the hosts in agent-config.yaml only.")
