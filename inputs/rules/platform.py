"""Is exactly one platform chosen?"""

from __future__ import annotations

from collections.abc import Iterator

from inputs.document.findings import Finding
from inputs.rules.facts import Facts


def one_platform_is_chosen(facts: Facts) -> Iterator[Finding]:
    for place in facts.install.find(dict, "platform"):
        if len(place.value) != 1:
            given = ", ".join(place.value) or "none of them"
            rule = f"Exactly one platform must be given; here is {given}."
            yield place.error("platform-unclear", rule, "Write `none: {}`, or baremetal with apiVIPs.")
        for name in (name for name, settings in place.value.items() if settings is None):
            yield place.source.finding(
                (*place.path, name), "value-invalid", "A mapping is expected here.", f"Write `{name}: {{}}`."
            )
