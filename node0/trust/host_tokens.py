"""The token that a host gets when it registers: only for its own routes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from agent.api.operations import TokenRole
from agent.machine.clock import Clock
from node0.trust import tokens
from node0.trust.tokens import Claims

LIFETIME = timedelta(hours=48)


@dataclass(frozen=True)
class HostTokens:
    key_pem: str
    cluster_id: str
    clock: Clock

    def mint(self, host_id: str, *, registered_with: Claims, jti: str) -> str:
        """Good for 48 hours, and at least as long as the token it registered with; `jti`: its id.

        The latter was counted by the build host's clock: a node0 whose own clock is set forward by NTP after the host
        has registered must not shut it out.
        """
        expires = max(self.clock.now() + LIFETIME, datetime.fromtimestamp(registered_with.exp, UTC))
        return tokens.mint(
            self.key_pem, role=TokenRole.HOST, cluster_id=self.cluster_id, expires=expires, host_id=host_id, jti=jti
        )
