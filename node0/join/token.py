"""Kubernetes' bootstrap tokens: a Secret each, which Kubernetes deletes when it expires.

Reference: https://kubernetes.io/docs/reference/access-authn-authz/bootstrap-tokens/#bootstrap-token-secret-format
"""

from __future__ import annotations

import secrets
import string
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from node0.join.rights import GROUP

_ALPHABET = string.ascii_lowercase + string.digits


@dataclass(frozen=True)
class BootstrapToken:
    """`id` is public: the user name of the token is `system:bootstrap:<id>`."""

    id: str
    secret: str = field(repr=False)
    expires_at: datetime

    @classmethod
    def make(cls, expires_at: datetime) -> BootstrapToken:
        return cls(_random(6), _random(16), expires_at)

    @property
    def text(self) -> str:
        return f"{self.id}.{self.secret}"

    def manifest(self, host: str) -> dict[str, Any]:
        """The Secret; `host` is a description for people."""
        return {
            "apiVersion": "v1",
            "kind": "Secret",
            "type": "bootstrap.kubernetes.io/token",
            "metadata": {"name": f"bootstrap-token-{self.id}", "namespace": "kube-system"},
            "stringData": {
                "token-id": self.id,
                "token-secret": self.secret,
                "expiration": self.expires_at.strftime("%Y-%m-%dT%H:%M:%SZ"),
                "usage-bootstrap-authentication": "true",
                "auth-extra-groups": GROUP,
                "description": f"cluster0: {host} joins",
            },
        }


def secret_path(token_id: str) -> str:
    return f"/api/v1/namespaces/kube-system/secrets/bootstrap-token-{token_id}"


def _random(length: int) -> str:
    return "".join(secrets.choice(_ALPHABET) for _ in range(length))
