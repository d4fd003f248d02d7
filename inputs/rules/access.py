"""The SSH settings of both files agree."""

from __future__ import annotations

from collections.abc import Iterator

from inputs.document.findings import Finding
from inputs.facts.facts import Facts
from inputs.facts.field_path import field_path
from inputs.schema.agent_config import AgentConfig
from inputs.schema.install_config import InstallConfig

_SSH_KEY = field_path(InstallConfig, str, "sshKey")
_SSH_ENABLED = field_path(AgentConfig, bool, "sshEnabled")


def ssh_settings_agree(facts: Facts) -> Iterator[Finding]:
    key = facts.install.get(_SSH_KEY, "")
    for enabled in facts.agent.find(_SSH_ENABLED):
        if not enabled.value and key:
            yield enabled.error(
                "ssh-contradiction",
                "sshd is switched off, so the sshKey in install-config.yaml has no effect.",
                "Remove one of the two.",
            )
