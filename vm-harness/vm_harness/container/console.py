"""A container's serial console: a pseudo-terminal, whose output goes into a log and to everyone who is connected."""

from __future__ import annotations

import contextlib
import os
import pty
import selectors
import socket
import termios
import tty
from collections.abc import Callable
from pathlib import Path

BLOCK_BYTES = 1 << 14
MAX_CLIENTS = 8
MAX_LOG_BYTES = 64 << 20
"""A guest may print without end; later output still reaches those who are connected."""


class SerialConsole:
    """`path`: the terminal for the container. Register with a selector by `serve`; its data is a function to call."""

    def __init__(self, log: Path, address: Path) -> None:
        self._master, self.slave = pty.openpty()
        tty.setraw(self.slave)
        termios.tcsetwinsize(self.slave, (24, 80))
        self.path = Path(os.ttyname(self.slave))
        self._log = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        address.unlink(missing_ok=True)
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_NONBLOCK)
        self._listener.bind(os.fspath(address))
        self._listener.listen()
        self._clients: set[socket.socket] = set()

    def serve(self, selector: selectors.BaseSelector) -> None:
        self._selector = selector
        selector.register(self._master, selectors.EVENT_READ, self._pass_on_output)
        selector.register(self._listener, selectors.EVENT_READ, self._accept)

    def print(self, line: str) -> None:
        """A line of the lab's own, as firmware and boot loader print theirs."""
        self._write(f"{line}\r\n".encode())

    def _pass_on_output(self) -> None:
        with contextlib.suppress(OSError):
            self._write(os.read(self._master, BLOCK_BYTES))

    def _write(self, output: bytes) -> None:
        if os.fstat(self._log).st_size < MAX_LOG_BYTES:
            os.write(self._log, output)
        for client in list(self._clients):
            try:
                client.send(output)
            except OSError:  # It is gone, or reads too slowly.
                self._drop(client)

    def _accept(self) -> None:
        client, _ = self._listener.accept()
        if len(self._clients) >= MAX_CLIENTS:
            client.close()
            return
        client.setblocking(False)
        self._clients.add(client)
        self._selector.register(client, selectors.EVENT_READ, self._reads(client))

    def _reads(self, client: socket.socket) -> Callable[[], None]:
        def read() -> None:
            try:
                typed = client.recv(BLOCK_BYTES)
            except OSError:
                typed = b""
            if typed:
                os.write(self._master, typed)
            else:
                self._drop(client)

        return read

    def _drop(self, client: socket.socket) -> None:
        self._clients.discard(client)
        self._selector.unregister(client)
        client.close()
