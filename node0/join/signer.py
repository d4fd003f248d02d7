"""Signs an approved certificate request, as the controller manager would.

A controller manager that has just started signs nothing for some ten seconds: its controllers start one after the
other, and the one for pod CIDRs first sleeps. A kubelet that has no certificate by then asks for it every ten seconds.
The first of the two sets the certificate, and the other one leaves it as it is.
Reference: https://kubernetes.io/docs/reference/access-authn-authz/certificate-signing-requests/#kubernetes-signers
"""

from __future__ import annotations

import base64
from datetime import datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.x509.oid import ExtendedKeyUsageOID

from node0.join.certificate_request import CertificateRequest

LIFETIME = timedelta(days=365)
"""The controller manager's default. The kubelet renews its certificate by itself, at the controller manager's."""
BACKDATING = timedelta(minutes=5)
_USAGE = x509.KeyUsage(
    digital_signature=True, key_encipherment=True, content_commitment=False, data_encipherment=False,
    key_agreement=False, key_cert_sign=False, crl_sign=False, encipher_only=False, decipher_only=False,
)  # fmt: skip


def sign(request: CertificateRequest, pki: Path, now: datetime) -> str:
    """The certificate as Kubernetes has it: PEM in base64. Only for a request that `decide` has approved.

    `pki`: directory of the cluster's `ca.crt` and `ca.key`. Raises OSError, ValueError where they cannot be used.
    """
    authority = x509.load_pem_x509_certificate((pki / "ca.crt").read_bytes())
    key = serialization.load_pem_private_key((pki / "ca.key").read_bytes(), password=None)
    wanted = x509.load_pem_x509_csr(base64.b64decode(request.spec.request))
    identifier = x509.AuthorityKeyIdentifier.from_issuer_public_key(authority.public_key())  # type: ignore[arg-type]
    certificate = (
        x509.CertificateBuilder()
        .subject_name(wanted.subject)
        .issuer_name(authority.subject)
        .public_key(wanted.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - BACKDATING)
        .not_valid_after(min(now + LIFETIME, authority.not_valid_after_utc))
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_USAGE, critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.CLIENT_AUTH]), critical=False)
        .add_extension(identifier, critical=False)
        .sign(key, hashes.SHA256())  # type: ignore[arg-type]  # of an authority, so one that signs
    )
    return base64.b64encode(certificate.public_bytes(serialization.Encoding.PEM)).decode()
