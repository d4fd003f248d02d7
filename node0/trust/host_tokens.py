"""The token that a host gets when it registers: only for operations on that host."""

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
        """Valid for 48 hours, and at least as long as the token that the host registered with; `jti`: its id.

        The build host's clock set the expiry of that token. If NTP sets node0's clock forward after the host has
        registered, the host keeps its access.
        """
        expires = max(self.clock.now() + LIFETIME, datetime.fromtimestamp(registered_with.exp, UTC))
        return tokens.mint(
            self.key_pem, role=TokenRole.HOST, cluster_id=self.cluster_id, expires=expires, host_id=host_id, jti=jti
        )
