"""Looks at the Kubernetes API, with the admin kubeconfig: by its address, and by its name from this computer."""

from __future__ import annotations

import asyncio
import ssl
from contextlib import AsyncExitStack
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

import aiohttp
import msgspec

from agent.kubernetes.client import ApiRefused, ApiUnreachable, Kubernetes, ObjectList
from agent.kubernetes.kubeconfig import read_kubeconfig
from agent.kubernetes.nodes import NODES, Node
from agent.machine.clock import Clock
from image_build.remote.target import Target
from image_build.wait_for.observation import KubernetesView, NamedView, NodeView

BOOTSTRAP = "/api/v1/namespaces/kube-system/configmaps/bootstrap"
_LOOK_SECONDS = 10.0
_NAME_EVERY_SECONDS = 60.0
"""A resolver without a server takes long to say so, and every look waits for it."""


class _ConfigMap(msgspec.Struct, frozen=True):
    data: dict[str, str] = {}


class KubernetesWatcher:
    """Use as an async context manager. Remembers that the name works: it is not asked for again."""

    def __init__(self, target: Target, clock: Clock) -> None:
        server, tls = read_kubeconfig(target.kubeconfig)
        self._by_address = Kubernetes(server=server, tls=tls)
        self._by_name = Kubernetes(server=f"https://{target.api_name}:{urlsplit(server).port}", tls=tls)
        self._clock = clock
        self._ask_name_at = clock.monotonic()
        self._named = NamedView(target.api_name, why="it has not been asked yet")
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Self:
        await self._stack.enter_async_context(self._by_address)
        await self._stack.enter_async_context(self._by_name)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None
    ) -> None:
        await self._stack.aclose()

    async def look(self) -> KubernetesView:
        """Reading objects, rather than /readyz, proves that the API server has its database and knows us."""
        try:
            async with asyncio.timeout(_LOOK_SECONDS):
                nodes = await self._by_address.get(NODES, ObjectList[Node])
                bootstrapped = await self._is_bootstrapped()
        except TimeoutError:
            return KubernetesView(answers=False, why=f"No answer within {_LOOK_SECONDS:g} s.")
        except (ApiUnreachable, ApiRefused) as problem:  # a moment after its start it does not know its own roles yet
            return KubernetesView(answers=False, why=problem.title)
        return KubernetesView(
            answers=True, bootstrapped=bootstrapped, nodes=_views(nodes.items), by_name=await self._look_by_name()
        )

    async def _is_bootstrapped(self) -> bool:
        try:
            return (await self._by_address.get(BOOTSTRAP, _ConfigMap)).data.get("status") == "complete"
        except ApiRefused as refusal:
            if refusal.status != 404:
                raise
            return False

    async def _look_by_name(self) -> NamedView:
        if self._named.why and self._clock.monotonic() >= self._ask_name_at:
            self._ask_name_at = self._clock.monotonic() + _NAME_EVERY_SECONDS
            self._named = NamedView(self._named.name, await self._why_not_by_name())
        return self._named

    async def _why_not_by_name(self) -> str:
        try:
            async with asyncio.timeout(_LOOK_SECONDS):
                await self._by_name.get("/version", dict[str, str])
        except TimeoutError:
            return f"no answer within {_LOOK_SECONDS:g} s"
        except ApiRefused as refusal:
            return refusal.title
        except ApiUnreachable as problem:
            return _words(problem.__cause__)
        return ""


def _words(cause: BaseException | None) -> str:
    if isinstance(cause, aiohttp.ClientConnectorDNSError):
        return "the name does not resolve on this computer"
    if isinstance(cause, aiohttp.ClientConnectorCertificateError | ssl.SSLError):
        return "another server answers there, or its certificate is not for this name"
    return str(cause)


def _views(nodes: tuple[Node, ...]) -> tuple[NodeView, ...]:
    return tuple(NodeView(node.name, node.is_ready, node.why_not_ready, node.is_control_plane) for node in nodes)
