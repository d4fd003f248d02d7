"""Calls to one API server."""

from __future__ import annotations

import ssl
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Generic, Self, TypeVar

import aiohttp
import msgspec
from yarl import URL

from agent.api.errors import connection_error_text
from agent.kubernetes.kubeconfig import read_kubeconfig
from agent.model.problems import Problem

Object = TypeVar("Object")

FIELD_MANAGER = "cluster0"
_LONGEST_LINE = 4 << 20  # bytes of one object in a watch
_WATCH_SECONDS = 300
_NOT_FOUND = 404


class ApiUnreachable(Problem):
    """No answer, or the connection broke: worth another try."""


class ApiRefused(Problem):
    """The API server answered with an error. `status` is the HTTP status."""

    def __init__(self, *, status: int, title: str) -> None:
        super().__init__(code="kubernetes-refused", title=title)
        self.status = status


class ListMeta(msgspec.Struct, frozen=True, rename="camel"):
    resource_version: str = ""


class ObjectList(msgspec.Struct, Generic[Object], frozen=True):
    metadata: ListMeta
    items: tuple[Object, ...] = ()


class Kubernetes:
    """The API server of a kubeconfig. Use as an async context manager."""

    def __init__(self, *, server: str, tls: ssl.SSLContext) -> None:
        self.server = server
        self._tls = tls
        self._session: aiohttp.ClientSession | None = None

    @classmethod
    def from_kubeconfig(cls, path: Path) -> Kubernetes:
        server, tls = read_kubeconfig(path)
        return cls(server=server, tls=tls)

    def of_host(self, address: str) -> Kubernetes:
        """The API server of the control plane at `address`, with the same rights; to be entered by itself."""
        return Kubernetes(server=str(URL(self.server).with_host(address)), tls=self._tls)

    async def __aenter__(self) -> Self:
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(ssl=self._tls), read_bufsize=_LONGEST_LINE, trust_env=False
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None
    ) -> None:
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def get(self, path: str, kind: type[Object], *, query: Mapping[str, str] | None = None) -> Object:
        """The object or list at `path`, such as /api/v1/nodes/n1. Raises `ApiRefused`, `ApiUnreachable`."""
        async with self._request("GET", path, query=query) as response:
            return msgspec.json.decode(await response.read(), type=kind)

    async def is_ready(self) -> bool:
        """Whether the API server reports that it is ready: connected to its etcd, everything started and listed.

        Reference: https://kubernetes.io/docs/reference/using-api/health-checks/
        """
        try:
            async with self._request("GET", "/readyz"):
                return True
        except (ApiUnreachable, ApiRefused):
            return False

    async def apply(self, path: str, manifest: Mapping[str, Any]) -> None:
        """Server-side apply: the object at `path` becomes `manifest`, whether it existed or not."""
        async with self._request(
            "PATCH",
            path,
            query={"fieldManager": FIELD_MANAGER, "force": "true"},
            content_type="application/apply-patch+yaml",
            body=msgspec.json.encode(manifest),
        ):
            pass

    async def merge(self, path: str, patch: Mapping[str, Any]) -> None:
        """JSON merge patch (RFC 7386) of the object at `path`, which must exist."""
        content_type, body = "application/merge-patch+json", msgspec.json.encode(patch)
        async with self._request("PATCH", path, content_type=content_type, body=body):
            pass

    async def delete(self, path: str) -> None:
        """Remove the object at `path`; one that is gone already is no error."""
        try:
            async with self._request("DELETE", path):
                pass
        except ApiRefused as refusal:
            if refusal.status != _NOT_FOUND:
                raise

    async def follow(
        self, path: str, kind: type[Object], *, query: Mapping[str, str] | None = None
    ) -> AsyncGenerator[tuple[Object, ...], None]:
        """The whole list at `path`, now and again after every change in it. Never ends by itself.

        Raises `ApiUnreachable` when the connection is lost; start again then.
        """
        while True:
            listed = await self.get(path, ObjectList[kind], query=query)  # type: ignore[valid-type]  # runtime generic
            yield listed.items
            await self._changed(path, listed.metadata.resource_version, query or {})

    async def _changed(self, path: str, version: str, query: Mapping[str, str]) -> None:
        """Return at the first change after `version`, and once in a while without one."""
        watch = {**query, "watch": "true", "resourceVersion": version, "timeoutSeconds": str(_WATCH_SECONDS)}
        async with self._request("GET", path, query=watch, timeout=_WATCH_SECONDS + 30) as response:
            async for _ in response.content:
                return

    @asynccontextmanager
    async def _request(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        content_type: str = "application/json",
        body: bytes | None = None,
        timeout: float = 30,
    ) -> AsyncIterator[aiohttp.ClientResponse]:
        if self._session is None:
            raise RuntimeError("use Kubernetes as an async context manager")
        try:
            async with self._session.request(
                method,
                self.server + path,
                params=query,
                data=body,
                headers={"Content-Type": content_type, "Accept": "application/json"},
                timeout=aiohttp.ClientTimeout(total=timeout),
            ) as response:
                if response.status >= 400:
                    text = (await response.text())[:300]
                    raise ApiRefused(
                        status=response.status, title=f"{method} {path} answered {response.status}: {text}"
                    )
                yield response
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise ApiUnreachable(
                code="kubernetes-unreachable",
                title=f"No answer from the Kubernetes API at {self.server}: {connection_error_text(error)}",
                remedy="Is the API server running? Its log is in /var/log/pods on the control-plane node.",
            ) from error
