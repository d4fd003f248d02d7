"""The Kubernetes API by its name: does it resolve on this computer, and does our API server answer there?

An install needs no name, so nobody waits for the answer: a resolver without a server takes long to give up.
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
from client.observe.observation import NamedView

EVERY_SECONDS = 60.0
_ANSWER_SECONDS = 10.0


class NameProbe:
    """Asks in the background, again and again until the name works; `seen` is the last answer."""

    def __init__(self, name: str, port: int, tls: ssl.SSLContext, clock: Clock) -> None:
        self._name = name
        self._api = Kubernetes(server=f"https://{name}:{port}", tls=tls)
        self._clock = clock
        self._next = clock.monotonic()
        self._asking: asyncio.Task[None] | None = None
        self.seen: NamedView | None = None

    def start_if_due(self) -> None:
        works = self.seen is not None and not self.seen.why
        busy = self._asking is not None and not self._asking.done()
        if not works and not busy and self._clock.monotonic() >= self._next:
            self._next = self._clock.monotonic() + EVERY_SECONDS
            self._asking = asyncio.create_task(self._ask(), name="the API by name")

    async def answered(self) -> NamedView | None:
        """What is seen once the question under way has its answer."""
        if self._asking is not None:
            await self._asking
        return self.seen

    async def close(self) -> None:
        if self._asking is not None:
            self._asking.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._asking

    async def _ask(self) -> None:
        self.seen = NamedView(self._name, await self._why_not())

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
            return _words(problem.__cause__)
        return ""


async def _resolve(name: str) -> None:
    """Raises socket.gaierror. In a thread that nobody waits for at the end: getaddrinfo cannot be interrupted."""
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[None] = loop.create_future()

    def tell(error: OSError | None) -> None:
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
        with contextlib.suppress(RuntimeError):  # the loop has ended meanwhile
            loop.call_soon_threadsafe(tell, error)

    threading.Thread(target=work, daemon=True, name="resolver").start()
    await answer


def _words(cause: BaseException | None) -> str:
    if isinstance(cause, aiohttp.ClientConnectorCertificateError | ssl.SSLError):
        return "another server answers there, or its certificate is not for this name"
    return str(cause)
