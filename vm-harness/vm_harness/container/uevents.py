"""Block devices that come and go, as the kernel announces them (netlink(7), NETLINK_KOBJECT_UEVENT)."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from dataclasses import dataclass

NETLINK_KOBJECT_UEVENT = 15
KERNEL_GROUP = 1
BUFFER_BYTES = 1 << 16
RECEIVE_BYTES = 1 << 20


@dataclass(frozen=True)
class BlockEvent:
    """`action`: add, remove, change …; `name`: of the device, as loop8p1."""

    action: str
    name: str


class Uevents:
    """Follows the kernel's events from the moment of its creation."""

    def __init__(self) -> None:
        self.socket = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW | socket.SOCK_NONBLOCK, NETLINK_KOBJECT_UEVENT)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, RECEIVE_BYTES)
        self.socket.bind((0, KERNEL_GROUP))

    def pending(self) -> Iterator[BlockEvent]:
        """The events that have come. Raises OSError (ENOBUFS) when the kernel has dropped some."""
        while True:
            try:
                message = self.socket.recv(BUFFER_BYTES)
            except BlockingIOError:
                return
            if event := parse(message):
                yield event

    def close(self) -> None:
        self.socket.close()


def parse(message: bytes) -> BlockEvent | None:
    """An event of a block device; None for any other. The message: `ACTION@PATH`, then `KEY=VALUE`, each ended by 0."""
    fields = dict(line.split("=", 1) for line in message.decode(errors="replace").split("\0") if "=" in line)
    if fields.get("SUBSYSTEM") != "block" or "DEVNAME" not in fields:
        return None
    return BlockEvent(fields.get("ACTION", ""), fields["DEVNAME"])
