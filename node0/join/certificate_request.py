"""A kubelet's request for its client certificate, and whether it matches the credential it was made with. Pure.

Reference: https://kubernetes.io/docs/reference/access-authn-authz/certificate-signing-requests/
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from enum import StrEnum

import msgspec

REQUESTS = "/apis/certificates.k8s.io/v1/certificatesigningrequests"
KUBELET_CLIENT = "kubernetes.io/kube-apiserver-client-kubelet"
BOOTSTRAP_USER = "system:bootstrap:"
_USAGES = frozenset({"digital signature", "key encipherment", "client auth"})


class _Metadata(msgspec.Struct, frozen=True):
    name: str


class _Spec(msgspec.Struct, frozen=True, rename="camel"):
    request: str
    signer_name: str = ""
    username: str = ""
    usages: tuple[str, ...] = ()


class _Condition(msgspec.Struct, frozen=True):
    type: str


class _Status(msgspec.Struct, frozen=True):
    conditions: tuple[_Condition, ...] = ()
    certificate: str = ""


class CertificateRequest(msgspec.Struct, frozen=True):
    """The parts of a CertificateSigningRequest that the decision depends on."""

    metadata: _Metadata
    spec: _Spec
    status: _Status = _Status()

    @property
    def token_id(self) -> str:
        """The id of the bootstrap token that made the request; empty when another user made it."""
        user = self.spec.username
        return user.removeprefix(BOOTSTRAP_USER) if user.startswith(BOOTSTRAP_USER) else ""

    @property
    def is_decided(self) -> bool:
        return any(condition.type in {"Approved", "Denied"} for condition in self.status.conditions)

    @property
    def is_issued(self) -> bool:
        return bool(self.status.certificate)


class Decision(StrEnum):
    APPROVE = "approve"
    DENY = "deny"
    NOT_OURS = "not ours"


def decide(request: CertificateRequest, nodes: Mapping[str, str]) -> tuple[Decision, str]:
    """The decision and its reason. `nodes`: id of each outstanding credential → the name of its node."""
    if request.is_decided or request.token_id not in nodes:
        return Decision.NOT_OURS, ""
    wrong = _wrong(request, nodes[request.token_id])
    return (Decision.DENY, wrong) if wrong else (Decision.APPROVE, f"it is {nodes[request.token_id]}'s")


def _wrong(request: CertificateRequest, node: str) -> str:
    """Why the request does not match its credential; empty when it does."""
    if request.spec.signer_name != KUBELET_CLIENT:
        return f"it is for the signer {request.spec.signer_name}"
    if not set(request.spec.usages) <= _USAGES:
        return f"it is for the usages {', '.join(request.spec.usages)}"
    return _wrong_content(request.spec.request, node)


def _wrong_content(encoded: str, node: str) -> str:
    # Imported with the first request, to spare the start of the service, for which every host waits.
    from cryptography import x509
    from cryptography.x509.oid import NameOID

    try:
        signed = x509.load_pem_x509_csr(base64.b64decode(encoded))
    except ValueError:
        return "it is not a certificate request in PEM"
    names = [str(name.value) for name in signed.subject.get_attributes_for_oid(NameOID.COMMON_NAME)]
    groups = [str(name.value) for name in signed.subject.get_attributes_for_oid(NameOID.ORGANIZATION_NAME)]
    if names != [f"system:node:{node}"] or groups != ["system:nodes"]:
        return f"it is for {', '.join(names)} of {', '.join(groups)}, and the credential is {node}'s"
    if len(signed.extensions) or not signed.is_signature_valid:
        return "it requests alternative names, or is not signed by its own key"
    return ""
