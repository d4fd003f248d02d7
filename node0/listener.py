"""How the service listens: HTTPS on its port, plain HTTP on the loopback address, and systemd knows when it does."""

from __future__ import annotations

import contextlib
import errno
import logging
import os
import socket
import ssl
from asyncio import sslproto
from collections.abc import AsyncIterator

from aiohttp import web

from agent.machine.files import Files
from agent.model.problems import Problem
from node0.trust import keys

log = logging.getLogger(__name__)

# Long polls are cut off when the service stops: their clients send them again.
SHUTDOWN_SECONDS = 1.0

# Hosts that are powered on together connect together. A client whose connection is not accepted at once tries again
# after 1, 3, 7 … 63 seconds (tcp(7), tcp_syn_retries). The default queue has 128 places.
BACKLOG = 1024

# What asyncio reads at once, and keeps as a buffer for every connection: 256 KiB by default, which is half a gigabyte
# for a thousand hosts with two connections each. Most requests are smaller than this, an inventory a few times larger.
READ_BYTES = 2 * 1024


@contextlib.asynccontextmanager
async def listening(app: web.Application, files: Files, *, port: int, loopback_port: int = 0) -> AsyncIterator[None]:
    """`port` 0 takes any free one. loopback_port: plain HTTP on 127.0.0.1; 0: none. The log names both.

    Raises `Problem`: `port-taken`, `key-unusable`.
    """
    runner = web.AppRunner(app, handler_cancellation=True, access_log=None, shutdown_timeout=SHUTDOWN_SECONDS)
    await runner.setup()
    try:
        await _start(web.TCPSite(runner, port=port, ssl_context=_tls_context(files), backlog=BACKLOG), port)
        if loopback_port:
            await _start(web.TCPSite(runner, host="127.0.0.1", port=loopback_port), loopback_port)
        log.info("listening on port %s", ", ".join(str(address[1]) for address in runner.addresses))
        notify_systemd("READY=1")
        yield
    finally:
        await runner.cleanup()


def _tls_context(files: Files) -> ssl.SSLContext:
    """TLS with the certificate of the ISO. Also limits the read buffer of all TLS connections to `READ_BYTES`."""
    sslproto.SSLProtocol.max_size = READ_BYTES
    return keys.tls_context(files)


async def _start(site: web.TCPSite, port: int) -> None:
    """Raises `Problem` (`port-taken`)."""
    try:
        await site.start()
    except OSError as error:
        if error.errno != errno.EADDRINUSE:
            raise
        raise Problem(
            code="port-taken",
            title=f"Another program of this host has port {port}, which node0's service needs.",
            remedy=f"Find it with `sudo ss -ltnp 'sport = :{port}'`, and end it. The service then starts by itself.",
        ) from error


def notify_systemd(state: str) -> None:
    """Send `state`, for example "READY=1", to the service manager that started us (`Type=notify`), if there is one."""
    address = os.environ.get("NOTIFY_SOCKET", "")
    if not address:
        return
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as channel:
        channel.connect("\0" + address[1:] if address.startswith("@") else address)
        channel.sendall(state.encode())
