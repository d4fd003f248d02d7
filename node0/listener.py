"""How the service listens: HTTPS on its port, plain HTTP on the loopback address, and systemd knows when it does."""

from __future__ import annotations

import contextlib
import errno
import logging
import os
import socket
from collections.abc import AsyncIterator, Iterator

from aiohttp import web, web_fileresponse

from agent.machine.files import Files
from agent.model.problems import Problem
from node0.tls.listener import TlsListener
from node0.trust import keys

log = logging.getLogger(__name__)

# Long polls are cut off when the service stops: their clients send them again.
SHUTDOWN_SECONDS = 1.0

# There is no file that the kernel could send: this process makes the records of TLS.
web_fileresponse.NOSENDFILE = True  # type: ignore[misc]  # as AIOHTTP_NOSENDFILE=1 does


@contextlib.asynccontextmanager
async def listening(app: web.Application, files: Files, *, port: int, loopback_port: int = 0) -> AsyncIterator[None]:
    """`port` 0 takes any free one. loopback_port: plain HTTP on 127.0.0.1; 0: none. The log names both.

    Raises `Problem`: `port-taken`, `key-unusable`.
    """
    tls = keys.tls_context(files)
    runner = web.AppRunner(app, handler_cancellation=True, access_log=None, shutdown_timeout=SHUTDOWN_SECONDS)
    await runner.setup()
    assert runner.server is not None
    listener = TlsListener(tls, runner.server)
    try:
        with _port_free(port):
            listener.start(port)
        if loopback_port:
            with _port_free(loopback_port):
                await web.TCPSite(runner, host="127.0.0.1", port=loopback_port).start()
        ports = [listener.port, *filter(None, [loopback_port])]
        log.info("listening on port %s", ", ".join(map(str, ports)))
        notify_systemd("READY=1")
        yield
    finally:
        listener.stop()
        await runner.cleanup()


@contextlib.contextmanager
def _port_free(port: int) -> Iterator[None]:
    """Raises `Problem` (`port-taken`)."""
    try:
        yield
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
