"""Are the hosts described in one file only?"""

from __future__ import annotations

from collections.abc import Iterator

from inputs.document.findings import Finding
from inputs.rules.facts import INSTALL_CONFIG_HOSTS, Facts


def hosts_are_in_one_file(facts: Facts) -> Iterator[Finding]:
    for place in facts.install.find(list, *INSTALL_CONFIG_HOSTS[:-1]):
        if place.value and any(True for _ in facts.agent.find(list, "hosts")):
            rule = "These hosts are ignored: agent-config.yaml lists hosts, and they count."
            yield place.warning("hosts-ignored", rule, "Keep the hosts in agent-config.yaml alone.")
