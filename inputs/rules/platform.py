"""Exactly one platform is chosen."""

from __future__ import annotations

from collections.abc import Iterator

from inputs.document.findings import Finding
from inputs.facts.facts import Facts
from inputs.facts.field_path import field_path
from inputs.schema.install_config import InstallConfig

_PLATFORM = field_path(InstallConfig, dict, "platform")


def one_platform_is_chosen(facts: Facts) -> Iterator[Finding]:
    for place in facts.install.find(_PLATFORM):
        if len(place.value) != 1:
            given = ", ".join(place.value) or "none of them"
            rule = f"Exactly one platform must be given; here is {given}."
            yield place.error("platform-unclear", rule, "Write `none: {}`, or baremetal with apiVIPs.")
        for name in (name for name, settings in place.value.items() if settings is None):
            yield place.source.finding(
                (*place.path, name), "value-invalid", "A mapping is expected here.", f"Write `{name}: {{}}`."
            )
