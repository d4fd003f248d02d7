"""Everything secret or random about one cluster, made once; the ISO and `auth/` are determined by it and the inputs."""

from __future__ import annotations

import uuid
from datetime import datetime, timedelta

import msgspec

from agent.api.routes import TokenRole
from image_build.trust.certificates import (
    CA_LIFETIME,
    Authority,
    CertifiedKey,
    Secret,
    Subject,
    key_pem,
    new_key,
    public_pem,
)
from image_build.trust.kubeconfig import kubeconfig
from node0.trust import tokens

TOKEN_LIFETIME_DAYS = 30
"""From `create image` to the end of the install: the ISO may travel, and hosts may come late."""

NODE0_TLS_LIFETIME = CA_LIFETIME
"""A host whose clock is years ahead still registers, and is told so; an expired token is told as that, not as TLS."""

ADMIN_LIFETIME = timedelta(days=365)
"""As kubeadm's own admin certificate."""

ADMIN = Subject("kubernetes-admin", organization="system:masters")
"""The group is bound in every release; newer ones' `kubeadm:cluster-admins` exists only after `kubeadm init`."""


class Identity(msgspec.Struct, frozen=True, kw_only=True):
    """What one-time data is made for; names and addresses are in certificates and cannot change under them."""

    name: str
    base_domain: str
    rendezvous_ip: str
    api_address: str
    token_lifetime_days: int = TOKEN_LIFETIME_DAYS

    def __str__(self) -> str:
        api = "" if self.api_address == self.rendezvous_ip else f", API at {self.api_address}"
        return (
            f"{self.name}.{self.base_domain} at {self.rendezvous_ip}{api}, tokens for {self.token_lifetime_days} days"
        )

    @property
    def token_lifetime(self) -> timedelta:
        return timedelta(days=self.token_lifetime_days)


class KubernetesKeys(Secret, frozen=True, kw_only=True):
    """kubeadm's CAs and the service accounts' key, under kubeadm's names."""

    ca: CertifiedKey
    front_proxy_ca: CertifiedKey
    etcd_ca: CertifiedKey
    sa_key: str
    sa_pub: str


class OneTimeData(Secret, frozen=True, kw_only=True):
    """`created_at`: RFC 3339, seconds. `*_token`: role tokens for node0's API. PEM throughout."""

    schema: int = 1
    identity: Identity
    cluster_id: str
    infra_env_id: str
    created_at: str
    node0_ca: CertifiedKey
    node0_tls: CertifiedKey
    token_key: str
    agent_token: str
    user_token: str
    watcher_token: str
    kubernetes: KubernetesKeys
    admin_kubeconfig: str

    @property
    def tokens_expire(self) -> datetime:
        return datetime.fromisoformat(self.created_at) + self.identity.token_lifetime


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
        admin_kubeconfig=kubeconfig(
            cluster=identity.name,
            api_address=identity.api_address,
            authority=kubernetes_ca.pair().certificate,
            admin=kubernetes_ca.client(ADMIN, ADMIN_LIFETIME),
        ),
    )


def _node0_names(identity: Identity) -> tuple[str, ...]:
    """node0's driver calls its own service on loopback, so that no change of address gets between them."""
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
