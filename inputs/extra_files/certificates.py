"""The user's CA certificates, and their validity."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cryptography import x509

_BLOCK = re.compile(r"-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----", re.DOTALL)

SOON = timedelta(days=30)
"""Time before a certificate's expiry in which there is a warning: it needs an early replacement."""


@dataclass(frozen=True)
class CertificateFinding:
    """`line`: of the certificate's first line in the text, from 1. `is_fatal`: the certificate cannot be used."""

    line: int
    code: str
    rule: str
    remedy: str
    is_fatal: bool = True


def blocks(text: str) -> tuple[str, ...]:
    """Each certificate by itself, PEM, without the text between them."""
    return tuple(f"{found[0]}\n" for found in _BLOCK.finditer(text))


def check_certificates(text: str, now: datetime) -> Iterator[CertificateFinding]:
    """At most one finding a certificate in `text`: damaged, not a CA's, expired or expiring."""
    found = list(_BLOCK.finditer(text))
    if not found:
        remedy = "Paste whole blocks, from -----BEGIN CERTIFICATE----- to -----END CERTIFICATE-----."
        yield CertificateFinding(1, "certificate-invalid", "There is no certificate in PEM here.", remedy)
    for number, block in enumerate(found, start=1):
        line = text.count("\n", 0, block.start()) + 1
        for finding in _about(block[0], f"Certificate {number} of {len(found)}", line, now):
            yield finding
            break


def _about(pem: str, name: str, line: int, now: datetime) -> Iterator[CertificateFinding]:
    # Importing cryptography takes 50 ms, and few inputs have a certificate.
    from cryptography import x509

    try:
        certificate = x509.load_pem_x509_certificate(pem.encode())
        is_ca = _is_ca(certificate)
    except ValueError as error:
        yield CertificateFinding(line, "certificate-invalid", f"{name} is damaged: {error}.", "Copy it again.")
        return
    subject, end = certificate.subject.rfc4514_string(), certificate.not_valid_after_utc
    if end <= now:
        yield CertificateFinding(
            line, "certificate-expired", f"{name} ({subject}) expired at {_day(end)}.", "Get a new one."
        )
    if not is_ca:
        rule = f"{name} ({subject}) is not a CA certificate."
        yield CertificateFinding(
            line, "certificate-no-ca", rule, "Use the certificate of the CA that signed it.", is_fatal=False
        )
    if end <= now + SOON:
        rule = f"{name} ({subject}) expires soon, at {_day(end)}."
        yield CertificateFinding(line, "certificate-ends-soon", rule, "Get a new one.", is_fatal=False)
    begin = certificate.not_valid_before_utc
    if begin > now:
        rule = f"{name} ({subject}) is not valid before {_day(begin)}."
        yield CertificateFinding(line, "certificate-not-yet", rule, "Check this machine's clock.", is_fatal=False)


def _is_ca(certificate: x509.Certificate) -> bool:
    from cryptography import x509

    try:
        return certificate.extensions.get_extension_for_class(x509.BasicConstraints).value.ca
    except x509.ExtensionNotFound:
        return certificate.issuer == certificate.subject  # X.509 version 1 knows no extensions


def _day(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M} UTC"
