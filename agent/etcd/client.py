"""Calls to one member of etcd, by the JSON of its gRPC gateway.

Reference: https://etcd.io/docs/v3.4/dev-guide/api_grpc_gateway/ and https://etcd.io/docs/v3.4/learning/design-learner/.
"""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

import aiohttp
import msgspec

from agent.model.problems import Problem

Answer = TypeVar("Answer")

# A change of members is written to every member's disk before it is answered; kubeadm gives it two seconds.
_SECONDS = 60.0


class EtcdUnreachable(Problem):
    """No answer: worth another try."""


class EtcdRefused(Problem):
    """etcd answered with an error, such as that a learner is not in sync with its leader yet."""


class Member(msgspec.Struct, frozen=True, kw_only=True):
    """`id`: a number of 64 bits as text. `name`: empty until the member has started for the first time."""

    id: str = msgspec.field(name="ID")
    name: str = ""
    peer_urls: tuple[str, ...] = msgspec.field(name="peerURLs", default=())
    is_learner: bool = msgspec.field(name="isLearner", default=False)


class _Members(msgspec.Struct, frozen=True):
    members: tuple[Member, ...] = ()


class _Failure(msgspec.Struct, frozen=True):
    error: str = ""


@asynccontextmanager
async def connect(endpoint: str, pki: Path) -> AsyncIterator[Etcd]:
    """The member at `endpoint`, `ADDRESS:PORT`. `pki`: directory of kubeadm's `ca.crt`, `healthcheck-client.crt` and
    `healthcheck-client.key`; raises `EtcdUnreachable` without them."""
    connector, timeout = aiohttp.TCPConnector(ssl=_tls(pki)), aiohttp.ClientTimeout(total=_SECONDS)
    async with aiohttp.ClientSession(connector=connector, timeout=timeout) as session:
        yield Etcd(f"https://{endpoint}/v3/cluster/member", session)


class Etcd:
    """One member, to be had from `connect`. Every method raises `EtcdRefused`, `EtcdUnreachable`."""

    def __init__(self, url: str, session: aiohttp.ClientSession) -> None:
        self._url = url
        self._session = session

    async def members(self) -> tuple[Member, ...]:
        """The members that this member knows; no quorum is needed."""
        return (await self._call("list", {}, _Members)).members

    async def add_learner(self, peer_url: str) -> None:
        await self._call("add", {"peerURLs": [peer_url], "isLearner": True}, _Members)

    async def promote(self, member: Member) -> None:
        """Make a learner a voter. Refused until it is in sync with the leader."""
        await self._call("promote", {"ID": member.id}, _Members)

    async def remove(self, member: Member) -> None:
        """Refused where the others would have no quorum without it."""
        await self._call("remove", {"ID": member.id}, _Members)

    async def _call(self, what: str, body: dict[str, Any], kind: type[Answer]) -> Answer:
        try:
            async with self._session.post(f"{self._url}/{what}", data=msgspec.json.encode(body)) as response:
                content = await response.read()
        except (aiohttp.ClientError, TimeoutError) as error:
            raise EtcdUnreachable(
                code="etcd-unreachable", title=f"No answer from etcd at {self._url}: {error}"
            ) from error
        if response.status != 200:
            reason = msgspec.json.decode(content, type=_Failure).error
            raise EtcdRefused(code="etcd-refused", title=f"etcd refused to {what} a member: {reason}")
        return msgspec.json.decode(content, type=kind)


def _tls(pki: Path) -> ssl.SSLContext:
    try:
        tls = ssl.create_default_context(cafile=str(pki / "ca.crt"))
        tls.load_cert_chain(pki / "healthcheck-client.crt", pki / "healthcheck-client.key")
    except OSError as error:
        title = f"The keys for etcd in {pki} cannot be used: {error}"
        raise EtcdUnreachable(code="etcd-unreachable", title=title) from error
    return tls
