"""All secret or random data of one cluster. This data and the inputs fully determine the ISO and `auth/`.

Structs only, so that readers need not import cryptography. `fresh.make` creates them.
"""

from __future__ import annotations

from datetime import datetime, timedelta

import msgspec

TOKEN_LIFETIME_DAYS = 30
"""How long after `create image` the install may end: the ISO may have to be shipped, and hosts may join late."""


class Secret(msgspec.Struct, frozen=True):
    """Base of structs whose content must not appear in logs or errors."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}(…)"


class CertifiedKey(Secret, frozen=True, kw_only=True):
    """PEM, the key as PKCS #8 without a password."""

    certificate: str
    key: str


class Identity(msgspec.Struct, frozen=True, kw_only=True):
    """The cluster that one-time data belongs to. Its names and addresses are in certificates and cannot change."""

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
