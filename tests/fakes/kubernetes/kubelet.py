"""What a kubelet says to the API server: first with a join credential, then as a node."""

from __future__ import annotations

import base64
import contextlib
import ssl
from collections.abc import AsyncIterator
from datetime import UTC, datetime

import aiohttp
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from agent.kubernetes.client import Kubernetes
from agent.kubernetes.kubeconfig import read_kubeconfig
from node0.join.certificate_request import KUBELET_CLIENT, REQUESTS
from tests.fakes.kubernetes.native_control_plane import ControlPlane


@contextlib.asynccontextmanager
async def bearer(cluster: ControlPlane, token: str) -> AsyncIterator[aiohttp.ClientSession]:
    """Calls to the API server with a join credential."""
    server, _ = read_kubeconfig(cluster.admin)
    tls = ssl.create_default_context(cafile=str(cluster.directory / "pki/ca.crt"))
    headers = {"Authorization": f"Bearer {token}"}
    async with aiohttp.ClientSession(server, headers=headers, connector=aiohttp.TCPConnector(ssl=tls)) as session:
        yield session


async def ask_to_sign(session: aiohttp.ClientSession, name: str, node: str) -> int:
    """What a kubelet does first; gives the HTTP status."""
    subject = x509.Name(
        [
            x509.NameAttribute(x509.NameOID.ORGANIZATION_NAME, "system:nodes"),
            x509.NameAttribute(x509.NameOID.COMMON_NAME, f"system:node:{node}"),
        ]
    )
    key = ec.generate_private_key(ec.SECP256R1())
    signed = x509.CertificateSigningRequestBuilder().subject_name(subject).sign(key, hashes.SHA256())
    body = {
        "apiVersion": "certificates.k8s.io/v1",
        "kind": "CertificateSigningRequest",
        "metadata": {"name": name},
        "spec": {
            "request": base64.b64encode(signed.public_bytes(serialization.Encoding.PEM)).decode(),
            "signerName": KUBELET_CLIENT,
            "usages": ["digital signature", "key encipherment", "client auth"],
        },
    }
    async with session.post(REQUESTS, json=body) as response:
        return response.status


async def put_node(api: Kubernetes, name: str, *, ready: bool) -> None:
    """What a kubelet says of itself."""
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}}
    await api.apply(f"/api/v1/nodes/{name}", node)
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    condition = {"type": "Ready", "status": str(ready), "reason": "Test", "message": "", "lastTransitionTime": now}
    await api.apply(f"/api/v1/nodes/{name}/status", {**node, "status": {"conditions": [condition]}})
