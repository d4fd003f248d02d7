"""A join credential lets a kubelet get a client certificate for its own name only."""

from __future__ import annotations

import base64
from typing import Any

import msgspec
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from node0.join.certificate_request import KUBELET_CLIENT, CertificateRequest, Decision, decide

NODES = {"abc123": "node1"}
SUBJECT = {"common": "system:node:node1", "organization": "system:nodes"}


def pem(*, common: str, organization: str, dns: str = "") -> bytes:
    subject = x509.Name(
        [
            x509.NameAttribute(x509.NameOID.ORGANIZATION_NAME, organization),
            x509.NameAttribute(x509.NameOID.COMMON_NAME, common),
        ]
    )
    builder = x509.CertificateSigningRequestBuilder().subject_name(subject)
    if dns:
        builder = builder.add_extension(x509.SubjectAlternativeName([x509.DNSName(dns)]), critical=False)
    return builder.sign(ec.generate_private_key(ec.SECP256R1()), hashes.SHA256()).public_bytes(
        serialization.Encoding.PEM
    )


def request(content: bytes | None = None, conditions: tuple[str, ...] = (), **spec: Any) -> CertificateRequest:
    document = {
        "metadata": {"name": "csr-1"},
        "spec": {
            "request": base64.b64encode(pem(**SUBJECT) if content is None else content).decode(),
            "signerName": KUBELET_CLIENT,
            "username": "system:bootstrap:abc123",
            "usages": ["digital signature", "client auth"],
            **spec,
        },
        "status": {"conditions": [{"type": kind} for kind in conditions]},
    }
    return msgspec.convert(document, CertificateRequest)


def test_a_request_for_the_hosts_own_node_is_approved() -> None:
    assert decide(request(), NODES) == (Decision.APPROVE, "it is node1's")


@pytest.mark.parametrize(
    "of_others",
    [
        request(username="system:bootstrap:zzzzzz"),
        request(username="system:node:node1"),
        request(username="kubernetes-admin"),
        request(conditions=("Approved",)),
        request(conditions=("Denied",)),
    ],
)
def test_requests_of_others_or_with_a_decision_are_left_alone(of_others: CertificateRequest) -> None:
    assert decide(of_others, NODES) == (Decision.NOT_OURS, "")


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        (request(pem(common="system:node:node2", organization="system:nodes")), "the credential is node1's"),
        (request(pem(common="admin", organization="system:masters")), "it is for admin of system:masters"),
        (request(pem(**SUBJECT, dns="node1")), "alternative names"),
        (request(signerName="kubernetes.io/kubelet-serving"), "signer kubernetes.io/kubelet-serving"),
        (request(usages=["client auth", "cert sign"]), "usages client auth, cert sign"),
        (request(b"no PEM"), "not a certificate request"),
    ],
)
def test_any_other_request_is_denied_with_a_reason(bad: CertificateRequest, why: str) -> None:
    decision, reason = decide(bad, NODES)
    assert decision is Decision.DENY
    assert why in reason
