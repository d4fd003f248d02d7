"""Notifies systemd of the service's state (`Type=notify`), without a library for one datagram."""

from __future__ import annotations

import os
import socket


def notify(state: str) -> None:
    """Send `state`, for example "READY=1", to the service manager; does nothing without one."""
    address = os.environ.get("NOTIFY_SOCKET", "")
    if not address:
        return
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as channel:
        channel.connect("\0" + address[1:] if address.startswith("@") else address)
        channel.sendall(state.encode())
