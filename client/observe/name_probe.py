"""The Kubernetes API by its DNS name: does it resolve on this computer, and does our API server answer there?

An install needs no name, so no command waits for the answer: a resolver without a server takes long to give up.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
import threading

import aiohttp

from agent.kubernetes.client import ApiRefused, ApiUnreachable, Kubernetes
from agent.machine.clock import Clock
from client.observe.observation import ApiNameView

EVERY_SECONDS = 60.0
_ANSWER_SECONDS = 10.0


class NameProbe:
    """Probes in the background every `EVERY_SECONDS` until the name works; `seen` is the last result."""

    def __init__(self, name: str, port: int, tls: ssl.SSLContext, clock: Clock) -> None:
        self._name = name
        self._api = Kubernetes(server=f"https://{name}:{port}", tls=tls)
        self._clock = clock
        self._next = clock.monotonic()
        self._probing: asyncio.Task[None] | None = None
        self.seen: ApiNameView | None = None

    def start_if_due(self) -> None:
        works = self.seen is not None and not self.seen.why
        busy = self._probing is not None and not self._probing.done()
        if not works and not busy and self._clock.monotonic() >= self._next:
            self._next = self._clock.monotonic() + EVERY_SECONDS
            self._probing = asyncio.create_task(self._probe(), name="the API by name")

    async def result(self) -> ApiNameView | None:
        """The result of the probe under way, else the last one."""
        if self._probing is not None:
            await self._probing
        return self.seen

    async def close(self) -> None:
        if self._probing is not None:
            self._probing.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._probing

    async def _probe(self) -> None:
        self.seen = ApiNameView(self._name, await self._why_not())

    async def _why_not(self) -> str:
        try:
            async with asyncio.timeout(_ANSWER_SECONDS), self._api:
                await _resolve(self._name)
                await self._api.get("/version", dict[str, str])
        except TimeoutError:
            return f"no answer within {_ANSWER_SECONDS:g} s"
        except socket.gaierror:
            return "the name does not resolve on this computer"
        except ApiRefused as refusal:
            return refusal.title
        except ApiUnreachable as problem:
            return _reason(problem.__cause__)
        return ""


async def _resolve(name: str) -> None:
    """Raises socket.gaierror. In a daemon thread, because getaddrinfo cannot be interrupted."""
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[None] = loop.create_future()

    def finish(error: OSError | None) -> None:
        if answer.done():
            return
        if error is None:
            answer.set_result(None)
        else:
            answer.set_exception(error)

    def work() -> None:
        error = None
        try:
            socket.getaddrinfo(name, None, type=socket.SOCK_STREAM)
        except OSError as failed:
            error = failed
        with contextlib.suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(finish, error)

    threading.Thread(target=work, daemon=True, name="resolver").start()
    await answer


def _reason(cause: BaseException | None) -> str:
    if isinstance(cause, aiohttp.ClientConnectorCertificateError | ssl.SSLError):
        return "another server answers there, or its certificate is not for this name"
    return str(cause)
