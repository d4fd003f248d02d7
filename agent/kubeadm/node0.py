"""What a joining host requests from node0: its credential, and on a control plane its turn to enter etcd."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from agent.api.client import Client, Refused, Unreachable
from agent.api.join import JoinCredential
from agent.api.operations import ENTER_ETCD, MINT_JOIN_CREDENTIAL, REPORT_ETCD_VOTE, Nothing, Operation
from agent.machine import Clock
from agent.model.host_documents import Installed
from agent.model.states import InstallRole

Reply = TypeVar("Reply")
Say = Callable[[str], Awaitable[None]]

# node0 calls the Kubernetes API several times, which is slow while another control plane starts.
MINT_SECONDS = 180.0
# Control planes are few, and each one delays the next. Workers may be hundreds.
SECONDS_BETWEEN_REQUESTS = {InstallRole.MASTER: 1.0, InstallRole.WORKER: 5.0}
_NOT_YET = frozenset({409, 429, 503})


@dataclass(frozen=True)
class Node0:
    """Each request is repeated until node0 grants it: it may be rebooting. Raises `Refused` when it never will.

    say: called with what the host waits for.
    """

    client: Client
    installed: Installed
    clock: Clock
    say: Say

    async def credential(self) -> JoinCredential:
        return await self._granted(MINT_JOIN_CREDENTIAL)

    async def turn_to_enter_etcd(self) -> None:
        """Return when no other control plane enters etcd."""
        await self._granted(ENTER_ETCD)

    async def report_vote(self) -> None:
        """Give the turn back."""
        await self._granted(REPORT_ETCD_VOTE)

    async def _granted(self, operation: Operation[Nothing, Reply]) -> Reply:
        while True:
            try:
                return await self.client.call(
                    operation,
                    infra_env_id=self.installed.infra_env_id,
                    host_id=self.installed.host_id,
                    timeout=MINT_SECONDS,
                )
            except Unreachable:
                await self.say("waiting for node0")
            except Refused as refusal:
                if refusal.status not in _NOT_YET:
                    raise
                await self.say(refusal.title)
            await self.clock.sleep(SECONDS_BETWEEN_REQUESTS[self.installed.role])
