"""A program of its own: a NIC that sends a frame to all others five times a second, so that switches learn its MAC.

usage: python -m vm_harness.network.chatter NIC. Returns at once; a daemon sends until its namespace is removed.
"""

from __future__ import annotations

import os
import socket
import sys
import time
from pathlib import Path

from vm_harness.network.tap import became_daemon

PAUSE_SECONDS = 0.2
LOCAL_EXPERIMENT = b"\x88\xb5"  # IEEE 802, 9.2.3: no host does anything with it
BROADCAST = b"\xff" * 6
SMALLEST_FRAME = 60


def main(nic: str) -> None:
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as link:
        link.bind((nic, 0))
        own: bytes = link.getsockname()[4]
        frame = (BROADCAST + own + LOCAL_EXPERIMENT).ljust(SMALLEST_FRAME, b"\0")
        while True:
            link.send(frame)
            time.sleep(PAUSE_SECONDS)


if __name__ == "__main__" and became_daemon(Path(os.devnull)):
    main(sys.argv[1])
