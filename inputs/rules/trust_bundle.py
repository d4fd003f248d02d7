"""The certificates of additionalTrustBundle are valid CA certificates."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from inputs.document.findings import Finding, FindingSeverity
from inputs.extra_files.certificates import check_certificates
from inputs.facts.facts import Facts
from inputs.facts.field_path import field_path
from inputs.schema.install_config import InstallConfig

_TRUST_BUNDLE = field_path(InstallConfig, str, "additionalTrustBundle")


def certificates_hold(facts: Facts) -> Iterator[Finding]:
    for bundle in facts.install.find(_TRUST_BUNDLE):
        for found in check_certificates(bundle.value, datetime.now(UTC)) if bundle.value else ():
            severity = FindingSeverity.ERROR if found.is_fatal else FindingSeverity.WARNING
            yield bundle.source.finding(bundle.path, found.code, found.rule, found.remedy, severity=severity)
