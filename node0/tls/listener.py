"""Accepts TLS connections on a port, on every address of the host."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import logging
import socket
import ssl
from collections.abc import Callable

from node0.tls.transport import TlsTransport

log = logging.getLogger(__name__)

# Hosts that are powered on together connect together. A client whose connection is not accepted at once tries again
# after 1, 3, 7 … 63 seconds (tcp(7), tcp_syn_retries). The default queue has 128 places.
BACKLOG = 1024

# How long nothing is accepted after accept(2) has failed: most likely too many files are open.
PAUSE_SECONDS = 1.0

# Errors of socket(2) and bind(2) on a host whose kernel has IPv6 switched off.
_NO_IPV6 = (errno.EAFNOSUPPORT, errno.EADDRNOTAVAIL)


class TlsListener:
    """Gives a new protocol of `make_protocol` to each connection. To be used while the event loop runs."""

    def __init__(self, tls: ssl.SSLContext, make_protocol: Callable[[], asyncio.Protocol]) -> None:
        tls.options |= ssl.OP_NO_RENEGOTIATION
        self._tls = tls
        self._make_protocol = make_protocol
        self._loop = asyncio.get_running_loop()
        self._sockets: list[socket.socket] = []
        self.port = 0

    def start(self, port: int) -> None:
        """`port` 0 takes any free one. Raises OSError."""
        self._listen(socket.AF_INET, "0.0.0.0", port)
        self.port = self._sockets[0].getsockname()[1]
        try:
            self._listen(socket.AF_INET6, "::", self.port)
        except OSError as error:
            if error.errno not in _NO_IPV6:
                raise

    def _listen(self, family: socket.AddressFamily, address: str, port: int) -> None:
        listener = socket.create_server((address, port), family=family, backlog=BACKLOG)
        listener.setblocking(False)
        self._sockets.append(listener)
        self._loop.add_reader(listener, self._accept, listener)

    def _accept(self, listener: socket.socket) -> None:
        """One connection at a time: requests of the others are answered in between."""
        try:
            connection, peer = listener.accept()
        except (BlockingIOError, InterruptedError, ConnectionAbortedError):
            return
        except OSError as error:
            log.error("no connection is accepted for %g s: %s", PAUSE_SECONDS, error)
            self._loop.remove_reader(listener)
            self._loop.call_later(PAUSE_SECONDS, self._resume, listener)
            return
        with contextlib.suppress(OSError):  # the client is gone already
            TlsTransport(connection, peer, self._tls, self._make_protocol())

    def _resume(self, listener: socket.socket) -> None:
        if listener in self._sockets:
            self._loop.add_reader(listener, self._accept, listener)

    def stop(self) -> None:
        """Accept no more connections. Those that are open stay open."""
        for listener in self._sockets:
            self._loop.remove_reader(listener)
            listener.close()
        self._sockets.clear()
