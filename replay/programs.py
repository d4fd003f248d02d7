"""node0's real programs as processes: `python -m node0` on loopback, ready when they say so as to systemd.

They are those beside this package: of a checkout, of a wheel, or of the Debian package.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import signal
import socket
import sys
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from agent.api.client import Client, pinned_tls
from agent.api.operations import TokenRole
from agent.model.problems import Problem
from replay.site import Site

PYTHON = (sys.executable,)
START_SECONDS = 60.0
LIBRARY = Path(__file__).resolve().parents[1]
"""The directory of our packages. The Debian package keeps it off the default import path."""
LOG_BYTES = 4096
# As in `units/node0/cluster0-node0.service`.
ENVIRONMENT = {
    "MALLOC_ARENA_MAX": "1",
    "MALLOC_TRIM_THRESHOLD_": "65536",
    "SSL_CERT_FILE": "/dev/null",
    "SSL_CERT_DIR": "/dev/null",
}


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
    site: Site,
    *options: str,
    port: int = 0,
    python: Sequence[str] = PYTHON,
    log: Path | None = None,
) -> AsyncIterator[Service]:
    """`serve` for `site`, ready to be called; ended with the block. Raises Problem `service-not-started`.

    python: the command that runs Python; it may begin with another that starts it by exec.
    log: its standard error is appended to this file; None: it goes to ours.
    """
    port = port or free_port()
    notifications = site.files.at("/run/notify")
    with contextlib.ExitStack() as stack:
        ready = stack.enter_context(await asyncio.to_thread(_readiness_channel, notifications))
        process = await node0(
            site,
            *("serve", "--port", str(port), *options),
            environment={**ENVIRONMENT, "NOTIFY_SOCKET": str(notifications)},
            stderr=stack.enter_context(await asyncio.to_thread(log.open, "ab")) if log else None,
            python=python,
        )
        service = Service(site, port, process)
        try:
            await _wait_until_ready(ready, process, log)
            yield service
        finally:
            await service.stop()


@contextlib.asynccontextmanager
async def driving(service: Service, *, python: Sequence[str] = PYTHON) -> AsyncIterator[None]:
    """`create-cluster` for `service`, killed with the block."""
    arguments = ("create-cluster", "--url", service.url)
    process = await node0(service.site, *arguments, stderr=asyncio.subprocess.DEVNULL, python=python)
    try:
        yield
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.send_signal(signal.SIGKILL)
        await process.wait()


async def node0(
    site: Site,
    *arguments: str,
    environment: dict[str, str] | None = None,
    stderr: IO[bytes] | int | None = None,
    python: Sequence[str] = PYTHON,
) -> asyncio.subprocess.Process:
    """Start `cluster0-node0 ARGUMENTS` on the site's root directory."""
    paths = [str(LIBRARY), *filter(None, [os.environ.get("PYTHONPATH")])]
    return await asyncio.create_subprocess_exec(
        *python, "-m", "node0", "--root", os.fspath(site.root), *arguments,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), **(environment or {})}, stderr=stderr,
    )  # fmt: skip


def free_port() -> int:
    """A port without listener, outside the range that the kernel gives to outgoing connections."""
    while True:
        port = random.randrange(10_000, 30_000)
        with contextlib.suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port


def _readiness_channel(path: Path) -> socket.socket:
    """A new socket at `path`, as systemd's for sd_notify(3)."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    channel = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK)
    channel.bind(str(path))
    return channel


async def _wait_until_ready(channel: socket.socket, process: asyncio.subprocess.Process, log: Path | None) -> None:
    notified = asyncio.ensure_future(asyncio.get_running_loop().sock_recv(channel, 100))
    ended = asyncio.ensure_future(process.wait())
    await asyncio.wait({notified, ended}, timeout=START_SECONDS, return_when=asyncio.FIRST_COMPLETED)
    ended.cancel()
    if not notified.done():
        notified.cancel()
        how = f"ended with {process.returncode}" if ended.done() else f"was not ready in {START_SECONDS:g} s"
        raise await asyncio.to_thread(_not_started, how, log)


def _not_started(how: str, log: Path | None) -> Problem:
    last_words = log.read_bytes()[-LOG_BYTES:].decode(errors="replace").strip() if log else ""
    return Problem(code="service-not-started", title=f"node0's service {how}.", detail=last_words)
