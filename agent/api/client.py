"""A typed client for the operations in `agent.api.operations`, over TLS to one pinned CA.

It retries nothing: the caller knows whether a repeat is safe and how long to wait.
"""

from __future__ import annotations

import ssl
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

import aiohttp
import msgspec

from agent.api.errors import ErrorBody, InfraErrorBody, connection_error_text, host_is_up
from agent.api.operations import BASE, PORT, File, Nothing, Operation, Upload
from agent.model.endpoints import endpoint
from agent.model.problems import Problem

Body = TypeVar("Body")
Reply = TypeVar("Reply")

MAX_REPLY_BYTES = 64 * 1024 * 1024

# A host answers several steps together, and then sends nothing for a minute. A connection takes more of node0's memory
# than the record of the host. Closed by the client, none ends during a request.
IDLE_SECONDS = 1.0

# Sent by aiohttp with every request, and read by nothing in node0, which keeps them for as long as a request waits.
UNUSED_HEADERS = ("Accept", "Accept-Encoding", "User-Agent")


class Refused(Problem):
    """The service refused the call. `status` is the HTTP status."""

    def __init__(self, *, status: int, code: str, title: str, remedy: str = "") -> None:
        super().__init__(code=code, title=title, remedy=remedy)
        self.status = status

    @property
    def passes_by_itself(self) -> bool:
        """Whether a repeat may succeed: an error of the service itself, or too many bad tokens from this address."""
        return self.status == 429 or self.status >= 500


class Unreachable(Problem):
    """No answer: no route, connection refused, TLS failure, time-out."""


def pinned_tls(ca: Path) -> ssl.SSLContext:
    """A context that trusts the CA in the file `ca` (PEM) and nothing else."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.load_verify_locations(cafile=ca)
    return context


def service_url(address: str, port: int = PORT) -> str:
    """`https://ADDRESS:8090`, with brackets around an IPv6 address."""
    return f"https://{endpoint(address, port)}"


class Client:
    """Calls operations of the service at `url` with the bearer token `token`. Use as an async context manager.

    connections: the maximum number at once; further calls wait for one of them.
    """

    def __init__(self, *, url: str, tls: ssl.SSLContext, token: str, connections: int = 100) -> None:
        self._url = url + BASE
        self._tls = tls
        self._token = token
        self._connections = connections
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Self:
        connector = aiohttp.TCPConnector(ssl=self._tls, keepalive_timeout=IDLE_SECONDS, limit=self._connections)
        self._session = aiohttp.ClientSession(connector=connector, trust_env=False, skip_auto_headers=UNUSED_HEADERS)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None
    ) -> None:
        if self._session is not None:
            await self._session.close()
            self._session = None

    def use_token(self, token: str) -> None:
        """Use another token from now on, as a host does once it has registered."""
        self._token = token

    async def call(
        self,
        operation: Operation[Body, Reply],
        body: Body | None = None,
        *,
        query: Mapping[str, str | int] | None = None,
        timeout: float = 30.0,
        **path: str,
    ) -> Reply:
        """Call `operation`; `path` fills its braces, `timeout` is for the whole exchange, in seconds.

        Raises `Refused` for any other status than the operation's, `Unreachable` when there was no answer.
        """
        content = await self._exchange(
            operation,
            data=None if body is None else msgspec.json.encode(body),
            headers={} if body is None else {"Content-Type": "application/json"},
            query=query,
            timeout=timeout,
            path=path,
        )
        if operation.reply is Nothing:
            return None  # type: ignore[return-value]  # Reply is None here
        return msgspec.json.decode(content, type=operation.reply)

    async def download(
        self,
        operation: Operation[None, File],
        *,
        query: Mapping[str, str | int] | None = None,
        timeout: float = 300.0,
        **path: str,
    ) -> bytes:
        """The file that `operation` gives, of at most `MAX_REPLY_BYTES`. Raises as `call` does."""
        return await self._exchange(operation, data=None, headers={}, query=query, timeout=timeout, path=path)

    async def upload(
        self,
        operation: Operation[Upload, None],
        file: Path,
        *,
        query: Mapping[str, str | int] | None = None,
        timeout: float = 600.0,
        **path: str,
    ) -> None:
        """Send `file`, read as it goes. Raises as `call` does."""
        with file.open("rb") as content:
            form = aiohttp.FormData()
            form.add_field("upfile", content, filename=file.name, content_type="application/octet-stream")
            await self._exchange(operation, data=form, headers={}, query=query, timeout=timeout, path=path)

    async def _exchange(
        self,
        operation: Operation[Any, Any],
        *,
        data: bytes | aiohttp.FormData | None,
        headers: Mapping[str, str],
        query: Mapping[str, str | int] | None,
        timeout: float,
        path: Mapping[str, str],
    ) -> bytes:
        """The content of the answer."""
        if self._session is None:
            raise RuntimeError("use Client as an async context manager")
        try:
            async with self._session.request(
                operation.method,
                self._url + operation.path.format(**path),
                data=data,
                params=query,
                headers={"Authorization": f"Bearer {self._token}", **headers},
                timeout=aiohttp.ClientTimeout(total=timeout),
            ) as response:
                content = await _read(response)
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise Unreachable(
                code="service-unreachable",
                title=f"No answer from {self._url} ({operation.operation_id}): {connection_error_text(error)}",
                remedy="node0 is up; its service is starting, or has ended."
                if host_is_up(error)
                else "Is node0 up, and is its address the rendezvous address?",
            ) from error
        if response.status != operation.status:
            raise _refusal(operation.operation_id, response.status, content)
        return content


async def _read(response: aiohttp.ClientResponse) -> bytes:
    """All of it, up to `MAX_REPLY_BYTES`."""
    content = bytearray()
    async for chunk in response.content.iter_any():
        content += chunk
        if len(content) > MAX_REPLY_BYTES:
            raise aiohttp.ClientPayloadError(f"the answer is larger than {MAX_REPLY_BYTES} bytes")
    return bytes(content)


def _refusal(operation_id: str, status: int, content: bytes) -> Refused:
    """The service's own text, from either of its two error bodies."""
    try:
        if status in {401, 403}:
            refusal = msgspec.json.decode(content, type=InfraErrorBody)
            return Refused(status=status, code=refusal.problem or "not-authorized", title=refusal.message)
        body = msgspec.json.decode(content, type=ErrorBody)
        return Refused(status=status, code=body.problem or f"http-{status}", title=body.reason)
    except msgspec.DecodeError:
        text = content[:200].decode(errors="replace")
        return Refused(status=status, code=f"http-{status}", title=f"{operation_id} answered {status}: {text}")
