"""X.509 certificates: ECDSA P-256 everywhere, because RSA keys are slow to generate.

Certificates are valid from ten years before their creation. A host with a flat clock battery starts in the past, often
at the build date of its systemd, and would refuse them as not yet valid until its clock is set. A later start would
protect nothing, for the keys did not exist before. Only the end limits access; it is chosen per certificate. (kubeadm
copies the start of its CA into every certificate that it signs.)
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from image_build.credentials.one_time import CertifiedKey

BACKDATING = timedelta(days=3650)
CA_LIFETIME = timedelta(days=3650)


@dataclass(frozen=True)
class Subject:
    """The subject of a certificate: common name and, for Kubernetes, the group."""

    common_name: str
    organization: str = ""

    def name(self) -> x509.Name:
        attributes = [x509.NameAttribute(NameOID.COMMON_NAME, self.common_name)]
        if self.organization:
            attributes.insert(0, x509.NameAttribute(NameOID.ORGANIZATION_NAME, self.organization))
        return x509.Name(attributes)


def new_key() -> ec.EllipticCurvePrivateKey:
    return ec.generate_private_key(ec.SECP256R1())


def key_pem(key: ec.EllipticCurvePrivateKey) -> str:
    encoding, form = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
    return key.private_bytes(encoding, form, serialization.NoEncryption()).decode()


def public_pem(key: ec.EllipticCurvePrivateKey) -> str:
    form = serialization.PublicFormat.SubjectPublicKeyInfo
    return key.public_key().public_bytes(serialization.Encoding.PEM, form).decode()


@dataclass(frozen=True)
class Authority:
    """A self-signed CA. `created`: the start of all lifetimes."""

    certificate: x509.Certificate
    key: ec.EllipticCurvePrivateKey
    created: datetime

    @classmethod
    def make(cls, common_name: str, created: datetime) -> Authority:
        key, name = new_key(), Subject(common_name).name()
        builder = _builder(name, name, key, created, CA_LIFETIME)
        builder = builder.add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        builder = builder.add_extension(_usage(signs_certificates=True), critical=True)
        return cls(builder.sign(key, hashes.SHA256()), key, created)

    def pair(self) -> CertifiedKey:
        return CertifiedKey(certificate=_pem(self.certificate), key=key_pem(self.key))

    def server(self, common_name: str, names: Iterable[str], lifetime: timedelta) -> CertifiedKey:
        """`names`: host names and IP addresses of the server."""
        alternatives = x509.SubjectAlternativeName([_general_name(name) for name in names])
        return self._issue(Subject(common_name), ExtendedKeyUsageOID.SERVER_AUTH, lifetime, alternatives)

    def client(self, subject: Subject, lifetime: timedelta) -> CertifiedKey:
        return self._issue(subject, ExtendedKeyUsageOID.CLIENT_AUTH, lifetime, None)

    def _issue(
        self, subject: Subject, purpose: x509.ObjectIdentifier, lifetime: timedelta,
        alternatives: x509.SubjectAlternativeName | None,
    ) -> CertifiedKey:  # fmt: skip
        key = new_key()
        builder = _builder(subject.name(), self.certificate.subject, key, self.created, lifetime)
        builder = builder.add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        builder = builder.add_extension(_usage(signs_certificates=False), critical=True)
        builder = builder.add_extension(x509.ExtendedKeyUsage([purpose]), critical=False)
        issuer = x509.AuthorityKeyIdentifier.from_issuer_public_key(self.key.public_key())
        builder = builder.add_extension(issuer, critical=False)
        if alternatives is not None:
            builder = builder.add_extension(alternatives, critical=False)
        return CertifiedKey(certificate=_pem(builder.sign(self.key, hashes.SHA256())), key=key_pem(key))


def _builder(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey, created: datetime, lifetime: timedelta
) -> x509.CertificateBuilder:
    identifier = x509.SubjectKeyIdentifier.from_public_key(key.public_key())
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(created - BACKDATING)
        .not_valid_after(created + lifetime)
        .add_extension(identifier, critical=False)
    )


def _usage(*, signs_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=True, key_cert_sign=signs_certificates, crl_sign=signs_certificates,
        content_commitment=False, key_encipherment=False, data_encipherment=False, key_agreement=False,
        encipher_only=False, decipher_only=False,
    )  # fmt: skip


def _general_name(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)


def _pem(certificate: x509.Certificate) -> str:
    return certificate.public_bytes(serialization.Encoding.PEM).decode()
