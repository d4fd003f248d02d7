"""Do the CAs of additionalTrustBundle hold?"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from inputs.document.findings import Finding, FindingSeverity
from inputs.extra_files.certificates import check_certificates
from inputs.rules.facts import Facts


def certificates_hold(facts: Facts) -> Iterator[Finding]:
    for bundle in facts.install.find(str, "additionalTrustBundle"):
        for complaint in check_certificates(bundle.value, datetime.now(UTC)) if bundle.value else ():
            severity = FindingSeverity.ERROR if complaint.is_fatal else FindingSeverity.WARNING
            yield bundle.source.finding(
                bundle.path, complaint.code, complaint.rule, complaint.remedy, severity=severity
            )
