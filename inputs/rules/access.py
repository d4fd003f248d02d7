"""Do the settings about who may log in agree?"""

from __future__ import annotations

from collections.abc import Iterator

from inputs.document.findings import Finding
from inputs.rules.facts import Facts


def ssh_settings_agree(facts: Facts) -> Iterator[Finding]:
    key = next(facts.install.find(str, "sshKey"), None)
    for enabled in facts.agent.find(bool, "sshEnabled"):
        if not enabled.value and key and key.value:
            yield enabled.error(
                "ssh-contradiction",
                "sshd is switched off, but install-config.yaml has an sshKey that nobody could use.",
                "Remove one of the two.",
            )
