"""The admin kubeconfig, everything inline: the file can be carried anywhere."""

from __future__ import annotations

import base64

import yaml

from agent.kubernetes.kubeconfig import api_url
from image_build.credentials.one_time import CertifiedKey

USER = "admin"


def kubeconfig(*, cluster: str, api_address: str, authority: str, admin: CertifiedKey) -> str:
    """YAML. `authority`: the certificate of the Kubernetes CA, PEM."""
    context = f"{USER}@{cluster}"
    server = {"certificate-authority-data": _base64(authority), "server": api_url(api_address)}
    user = {"client-certificate-data": _base64(admin.certificate), "client-key-data": _base64(admin.key)}
    document = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": cluster, "cluster": server}],
        "users": [{"name": USER, "user": user}],
        "contexts": [{"name": context, "context": {"cluster": cluster, "user": USER}}],
        "current-context": context,
    }
    return yaml.safe_dump(document, sort_keys=False, width=1 << 20)


def _base64(pem: str) -> str:
    return base64.b64encode(pem.encode()).decode()
