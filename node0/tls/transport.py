"""One TLS connection of the service as a transport of asyncio, directly on its socket.

asyncio's own transport moves every byte through two buffers in memory, which OpenSSL never frees, and three Python
objects: 9 KiB more for each connection, and more CPU for each request.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
from typing import Any

# As asyncio's: a client that takes longer for its handshake, or for the rest of a response, is disconnected.
HANDSHAKE_SECONDS = 60.0
CLOSE_SECONDS = 30.0

# The largest record of TLS (RFC 8446, 5.1). What is read at once holds all of a record, so none waits inside OpenSSL
# where the event loop does not see it.
_RECORD = memoryview(bytearray(16 * 1024))

_NOT_YET = (ssl.SSLWantReadError, ssl.SSLWantWriteError)


class TlsTransport(asyncio.Transport):
    """Makes the handshake on `connection`, a socket from accept(2), and then gives itself to `protocol`.

    Renegotiation must be off in `tls`: else a write could wait for a read.
    """

    __slots__ = ("_deadline", "_is_closing", "_is_ended", "_loop", "_peer", "_protocol", "_socket", "_unsent")

    def __init__(self, connection: socket.socket, peer: Any, tls: ssl.SSLContext, protocol: asyncio.Protocol) -> None:
        """`peer`: its address, as accept(2) gave it. Raises OSError when the client is gone already."""
        self._loop = asyncio.get_running_loop()
        self._peer = peer
        self._protocol = protocol
        self._unsent = b""
        self._is_closing = self._is_ended = False
        connection.setblocking(False)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._socket = tls.wrap_socket(connection, server_side=True, do_handshake_on_connect=False)
        self._deadline = self._loop.call_later(HANDSHAKE_SECONDS, self._close_socket)
        self._loop.add_reader(self._socket, self._shake_hands)

    def _shake_hands(self) -> None:
        self._loop.remove_writer(self._socket)
        try:
            self._socket.do_handshake()
        except ssl.SSLWantReadError:
            return
        except ssl.SSLWantWriteError:
            self._loop.add_writer(self._socket, self._shake_hands)
        except OSError:
            self._close_socket()
        else:
            self._deadline.cancel()
            self._loop.add_reader(self._socket, self._read)
            self._protocol.connection_made(self)

    def _close_socket(self) -> None:
        self._deadline.cancel()
        self._loop.remove_reader(self._socket)
        self._loop.remove_writer(self._socket)
        with contextlib.suppress(OSError):
            # What has come already is read, without TLS: else the kernel resets the connection, and the client may lose
            # what it was sent last.
            self._socket.shutdown(socket.SHUT_WR)
            self._socket.recv_into(_RECORD)
        self._socket.close()

    def _read(self) -> None:
        try:
            count = self._socket.recv_into(_RECORD)
        except _NOT_YET:
            return
        except OSError as error:
            self._end(error)
            return
        if count:
            self._protocol.data_received(bytes(_RECORD[:count]))
        else:
            self._protocol.eof_received()
            self.close()

    def write(self, data: bytes | bytearray | memoryview) -> None:
        if self._is_closing:
            return
        if self._unsent:
            self._unsent += data
            return
        self._unsent = bytes(data)
        self._send()
        if self._unsent:
            self._loop.add_writer(self._socket, self._send_rest)
            self._protocol.pause_writing()

    def _send(self) -> None:
        """As much as the socket takes now."""
        try:
            while self._unsent:
                self._unsent = self._unsent[self._socket.send(self._unsent) :]
        except _NOT_YET:
            pass
        except OSError as error:
            self._end(error)

    def _send_rest(self) -> None:
        self._send()
        if self._unsent or self._is_ended:
            return
        self._loop.remove_writer(self._socket)
        self._protocol.resume_writing()
        if self._is_closing:
            self._end(None)

    def close(self) -> None:
        """Once the rest is sent, or cannot be."""
        if self._is_closing:
            return
        self._is_closing = True
        self._loop.remove_reader(self._socket)
        if self._unsent:
            self._deadline = self._loop.call_later(CLOSE_SECONDS, self.abort)
        else:
            self._end(None)

    def abort(self) -> None:
        self._end(None)

    def _end(self, error: OSError | None) -> None:
        if self._is_ended:
            return
        self._is_closing = self._is_ended = True
        self._unsent = b""
        with contextlib.suppress(OSError, ValueError):
            self._socket.unwrap()  # tells the client, and does not wait for its answer
        self._close_socket()
        self._loop.call_soon(self._protocol.connection_lost, error)

    def is_closing(self) -> bool:
        return self._is_closing

    def pause_reading(self) -> None:
        if not self._is_closing:
            self._loop.remove_reader(self._socket)

    def resume_reading(self) -> None:
        if not self._is_closing:
            self._loop.add_reader(self._socket, self._read)

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        """What aiohttp requests."""
        if name == "sockname":
            return default if self._is_ended else self._socket.getsockname()
        return {"peername": self._peer, "socket": self._socket, "sslcontext": self._socket.context}.get(name, default)
