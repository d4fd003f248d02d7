"""Do names agree between the files, and are they short enough together?"""

from __future__ import annotations

from collections.abc import Iterator

from inputs.document.findings import Finding
from inputs.rules.facts import Facts

_LONGEST = 253 - len("api-int.")
"""Of a cluster's domain, before which hosts' services put a name."""


def names_agree(facts: Facts) -> Iterator[Finding]:
    name = next(facts.install.find(str, "metadata", "name"), None)
    for other in facts.agent.find(str, "metadata", "name"):
        if name and other.value and other.value != name.value:
            rule = f"The cluster is called {name.value} in install-config.yaml, which counts; here it is {other.value}."
            yield other.warning("name-contradiction", rule, "Write the same name in both files.")
    for domain in facts.install.find(str, "baseDomain"):
        if name and len(f"{name.value}.{domain.value}") > _LONGEST:
            rule = f"{name.value}.{domain.value} is longer than {_LONGEST} characters."
            yield domain.error("domain-too-long", rule, "Shorten the name or the domain.")
