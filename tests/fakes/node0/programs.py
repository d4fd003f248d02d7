"""node0's real programs as processes: `python -m node0` on loopback, ready when they say so as to systemd."""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import signal
import socket
import sys
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from agent.api.client import Client, pinned_tls
from agent.api.operations import TokenRole
from tests.fakes.node0.site import Site
from tests.paths import REPOSITORY

START_SECONDS = 60.0


@dataclass
class Service:
    """A running `cluster0-node0 serve`."""

    site: Site
    port: int
    process: asyncio.subprocess.Process

    @property
    def url(self) -> str:
        return f"https://127.0.0.1:{self.port}"

    def client(self, role: TokenRole, *, host_id: str = "") -> Client:
        return Client(url=self.url, tls=pinned_tls(self.site.ca), token=self.site.token(role, host_id=host_id))

    async def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        """End it and give its exit code."""
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(number)
        return await self.process.wait()


@contextlib.asynccontextmanager
async def serving(
    site: Site, *options: str, port: int = 0, prefix: Sequence[str] = (), stderr: int | None = None
) -> AsyncIterator[Service]:
    """`serve` for `site`, ready to be called; ended with the block. `prefix`: a command that starts it by exec."""
    port = port or free_port()
    notifications = site.files.at("/run/notify")
    notifications.parent.mkdir(parents=True, exist_ok=True)
    with listening_for_readiness(notifications) as ready:
        process = await node0(
            site,
            *("serve", "--port", str(port), *options),
            environment={"NOTIFY_SOCKET": str(notifications)},
            stderr=stderr,
            prefix=prefix,
        )
        service = Service(site, port, process)
        try:
            await _ready(ready, process)
            yield service
        finally:
            await service.stop()


async def _ready(channel: socket.socket, process: asyncio.subprocess.Process) -> None:
    notified = asyncio.ensure_future(asyncio.get_running_loop().sock_recv(channel, 100))
    ended = asyncio.ensure_future(process.wait())
    await asyncio.wait({notified, ended}, timeout=START_SECONDS, return_when=asyncio.FIRST_COMPLETED)
    ended.cancel()
    assert not ended.done(), f"the service ended with {process.returncode}"
    assert notified.done(), "the service did not say that it is ready"
    assert notified.result() == b"READY=1"


@contextlib.contextmanager
def listening_for_readiness(path: Path) -> Iterator[socket.socket]:
    path.unlink(missing_ok=True)
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as channel:
        channel.setblocking(False)
        channel.bind(str(path))
        yield channel


async def node0(
    site: Site,
    *arguments: str,
    environment: dict[str, str] | None = None,
    stderr: int | None = None,
    prefix: Sequence[str] = (),
) -> asyncio.subprocess.Process:
    """Start `cluster0-node0 ARGUMENTS` on the site's root directory."""
    return await asyncio.create_subprocess_exec(
        *prefix, sys.executable, "-W", "error", "-m", "node0", "--root", os.fspath(site.root), *arguments,
        cwd=REPOSITORY, env={**os.environ, **(environment or {})}, stderr=stderr,
    )  # fmt: skip


def free_port() -> int:
    """A port without listener, outside the range that the kernel gives to outgoing connections."""
    while True:
        port = random.randrange(10_000, 30_000)
        with contextlib.suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port
