"""Generates a cluster's one-time data: keys, ids, certificates, tokens."""

from __future__ import annotations

import base64
import uuid
from datetime import datetime, timedelta

import yaml

from agent.api.operations import TokenRole
from agent.model.endpoints import api_url
from image_build.credentials.certificates import CA_LIFETIME, Authority, Subject, key_pem, new_key, public_pem
from image_build.credentials.one_time import CertifiedKey, Identity, KubernetesKeys, OneTimeData
from node0.trust import tokens

NODE0_TLS_LIFETIME = CA_LIFETIME
"""A host whose clock is years ahead still registers and can report it; an expired token gives its own error."""

KUBECONFIG_USER = "admin"

ADMIN_LIFETIME = timedelta(days=365)
"""The same lifetime as that of kubeadm's own admin certificate."""

ADMIN = Subject("kubernetes-admin", organization="system:masters")
"""Every release binds this group; `kubeadm:cluster-admins` of newer releases exists only after `kubeadm init`."""


def make(identity: Identity, now: datetime) -> OneTimeData:
    """Fresh keys, ids and certificates for a cluster, created `now` (UTC)."""
    created = now.replace(microsecond=0)
    cluster_id = str(uuid.uuid4())
    node0_ca = Authority.make("cluster0 node0", created)
    kubernetes_ca = Authority.make("kubernetes", created)
    token_key = tokens.new_key()
    expires = created + identity.token_lifetime
    return OneTimeData(
        identity=identity,
        cluster_id=cluster_id,
        infra_env_id=str(uuid.uuid4()),
        created_at=created.strftime("%Y-%m-%dT%H:%M:%SZ"),
        node0_ca=node0_ca.pair(),
        node0_tls=node0_ca.server("node0", _node0_names(identity), NODE0_TLS_LIFETIME),
        token_key=token_key,
        agent_token=_token(token_key, TokenRole.AGENT, cluster_id, expires),
        user_token=_token(token_key, TokenRole.USER, cluster_id, expires),
        watcher_token=_token(token_key, TokenRole.WATCHER, cluster_id, expires),
        kubernetes=_kubernetes_keys(kubernetes_ca, created),
        admin_kubeconfig=_kubeconfig(
            cluster=identity.name,
            api_address=identity.api_address,
            authority=kubernetes_ca.pair().certificate,
            admin=kubernetes_ca.client(ADMIN, ADMIN_LIFETIME),
        ),
    )


def _node0_names(identity: Identity) -> tuple[str, ...]:
    """Loopback names, because node0's driver calls its own service there, independent of address changes."""
    api_int = f"api-int.{identity.name}.{identity.base_domain}"
    return (identity.rendezvous_ip, api_int, "localhost", "127.0.0.1", "::1")


def _kubernetes_keys(ca: Authority, created: datetime) -> KubernetesKeys:
    service_accounts = new_key()
    return KubernetesKeys(
        ca=ca.pair(),
        front_proxy_ca=Authority.make("front-proxy-ca", created).pair(),
        etcd_ca=Authority.make("etcd-ca", created).pair(),
        sa_key=key_pem(service_accounts),
        sa_pub=public_pem(service_accounts),
    )


def _token(key: str, role: TokenRole, cluster_id: str, expires: datetime) -> str:
    return tokens.mint(key, role=role, cluster_id=cluster_id, expires=expires)


def _kubeconfig(*, cluster: str, api_address: str, authority: str, admin: CertifiedKey) -> str:
    """YAML, self-contained. `authority`: the certificate of the Kubernetes CA, PEM."""
    context = f"{KUBECONFIG_USER}@{cluster}"
    server = {"certificate-authority-data": _base64(authority), "server": api_url(api_address)}
    user = {"client-certificate-data": _base64(admin.certificate), "client-key-data": _base64(admin.key)}
    document = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": cluster, "cluster": server}],
        "users": [{"name": KUBECONFIG_USER, "user": user}],
        "contexts": [{"name": context, "context": {"cluster": cluster, "user": KUBECONFIG_USER}}],
        "current-context": context,
    }
    return yaml.safe_dump(document, sort_keys=False, width=1 << 20)


def _base64(pem: str) -> str:
    return base64.b64encode(pem.encode()).decode()
