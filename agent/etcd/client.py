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


class _Header(msgspec.Struct, frozen=True):
    member_id: str = ""


class _Status(msgspec.Struct, frozen=True):
    header: _Header = _Header()
    leader: str = ""


class _Nothing(msgspec.Struct, frozen=True):
    pass


class _Failure(msgspec.Struct, frozen=True):
    error: str = ""


@asynccontextmanager
async def connect(endpoint: str, pki: Path) -> AsyncIterator[Etcd]:
    """The member at `endpoint`, `ADDRESS:PORT`. `pki`: directory of kubeadm's `ca.crt`, `healthcheck-client.crt` and
    `healthcheck-client.key`; raises `EtcdUnreachable` without them."""
    connector, timeout = aiohttp.TCPConnector(ssl=_tls(pki)), aiohttp.ClientTimeout(total=_SECONDS)
    async with aiohttp.ClientSession(connector=connector, timeout=timeout) as session:
        yield Etcd(f"https://{endpoint}/v3", session)


class Etcd:
    """One member, to be had from `connect`. Every method raises `EtcdRefused`, `EtcdUnreachable`."""

    def __init__(self, url: str, session: aiohttp.ClientSession) -> None:
        self._url = url
        self._session = session

    async def members(self) -> tuple[Member, ...]:
        """The members that this member knows; no quorum is needed."""
        return (await self._call("cluster/member/list", {}, _Members)).members

    async def add_learner(self, peer_url: str) -> None:
        await self._call("cluster/member/add", {"peerURLs": [peer_url], "isLearner": True}, _Members)

    async def promote(self, member: Member) -> None:
        """Make a learner a voter. Refused until it is in sync with the leader."""
        await self._call("cluster/member/promote", {"ID": member.id}, _Members)

    async def remove(self, member: Member) -> None:
        """Refused where the others would have no quorum without it."""
        await self._call("cluster/member/remove", {"ID": member.id}, _Members)

    async def led_by_itself(self) -> str:
        """The id of this member while it is the leader; empty while another one is, or none."""
        status = await self._call("maintenance/status", {}, _Status)
        return status.leader if status.leader == status.header.member_id else ""

    async def make_leader(self, member: Member) -> None:
        """Let another voter lead, and wait until it does. This member must be the leader."""
        await self._call("maintenance/transfer-leadership", {"targetID": member.id}, _Nothing)

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
            raise EtcdRefused(code="etcd-refused", title=f"etcd refused {what}: {reason}")
        return msgspec.json.decode(content, type=kind)


def _tls(pki: Path) -> ssl.SSLContext:
    try:
        tls = ssl.create_default_context(cafile=str(pki / "ca.crt"))
        tls.load_cert_chain(pki / "healthcheck-client.crt", pki / "healthcheck-client.key")
    except OSError as error:
        title = f"The keys for etcd in {pki} cannot be used: {error}"
        raise EtcdUnreachable(code="etcd-unreachable", title=title) from error
    return tls
