"""One-time data: the contents of certificates, tokens and the kubeconfig."""

from __future__ import annotations

import base64
from datetime import UTC, datetime, timedelta

import pytest
import yaml
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from agent.api.operations import TokenRole
from image_build.credentials.fresh import make
from image_build.credentials.one_time import CertifiedKey, Identity, OneTimeData
from node0.trust import tokens

NOW = datetime(2026, 5, 6, 7, 8, 9, tzinfo=UTC)
IDENTITY = Identity(name="site", base_domain="example.com", rendezvous_ip="192.0.2.10", api_address="192.0.2.20")


@pytest.fixture(scope="module")
def data() -> OneTimeData:
    return make(IDENTITY, NOW)


def certificate(pair: CertifiedKey) -> x509.Certificate:
    return x509.load_pem_x509_certificate(pair.certificate.encode())


@pytest.mark.parametrize("name", ["node0_ca", "kubernetes.ca", "kubernetes.front_proxy_ca", "kubernetes.etcd_ca"])
def test_fresh_authorities_are_ca_certificates_with_ec_keys(data: OneTimeData, name: str) -> None:
    pair: object = data
    for attribute in name.split("."):
        pair = getattr(pair, attribute)
    assert isinstance(pair, CertifiedKey)
    authority, key = certificate(pair), load_pem_private_key(pair.key.encode(), None)
    assert authority.extensions.get_extension_for_class(x509.BasicConstraints).value.ca
    assert isinstance(key, ec.EllipticCurvePrivateKey)
    assert isinstance(key.curve, ec.SECP256R1)
    assert key.public_key() == authority.public_key()
    authority.verify_directly_issued_by(authority)
    assert authority.not_valid_before_utc < NOW - timedelta(days=3600), "a host whose clock is years behind accepts it"
    assert authority.not_valid_after_utc > NOW + timedelta(days=3600)


def test_node0s_certificate_is_for_the_rendezvous_address(data: OneTimeData) -> None:
    server = certificate(data.node0_tls)
    server.verify_directly_issued_by(certificate(data.node0_ca))
    names = server.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert "api-int.site.example.com" in names.get_values_for_type(x509.DNSName)
    assert "192.0.2.10" in map(str, names.get_values_for_type(x509.IPAddress))
    usage = server.extensions.get_extension_for_class(x509.ExtendedKeyUsage).value
    assert list(usage) == [ExtendedKeyUsageOID.SERVER_AUTH]


@pytest.mark.parametrize("role", [TokenRole.AGENT, TokenRole.USER, TokenRole.WATCHER])
def test_fresh_tokens_have_role_cluster_and_lifetime(data: OneTimeData, role: TokenRole) -> None:
    token = {
        TokenRole.AGENT: data.agent_token,
        TokenRole.USER: data.user_token,
        TokenRole.WATCHER: data.watcher_token,
    }[role]
    claims = tokens.verify(data.token_key, token, cluster_id=data.cluster_id, now=NOW)
    assert claims.role is role
    assert datetime.fromtimestamp(claims.exp, UTC) == NOW + IDENTITY.token_lifetime == data.tokens_expire


def test_the_admin_kubeconfig_authenticates_an_administrator(data: OneTimeData) -> None:
    document = yaml.safe_load(data.admin_kubeconfig)
    assert document["clusters"][0]["cluster"]["server"] == "https://192.0.2.20:6443"
    authority = base64.b64decode(document["clusters"][0]["cluster"]["certificate-authority-data"])
    assert authority.decode() == data.kubernetes.ca.certificate
    user = document["users"][0]["user"]
    admin = x509.load_pem_x509_certificate(base64.b64decode(user["client-certificate-data"]))
    admin.verify_directly_issued_by(certificate(data.kubernetes.ca))
    assert [group.value for group in admin.subject.get_attributes_for_oid(NameOID.ORGANIZATION_NAME)] == [
        "system:masters"
    ]
    assert document["current-context"] == "admin@site"


def test_printing_credentials_shows_no_secret(data: OneTimeData) -> None:
    assert repr(data) == "OneTimeData(…)"
    assert "PRIVATE" not in repr((data.kubernetes, data.node0_ca))


def test_two_calls_make_different_credentials(data: OneTimeData) -> None:
    other = make(IDENTITY, NOW)
    assert other.cluster_id != data.cluster_id
    assert other.node0_ca.key != data.node0_ca.key
