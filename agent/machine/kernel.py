"""Facts of the running kernel, and the hostname, which can be set."""

from __future__ import annotations

import os
import socket

BOOT_ID = "/proc/sys/kernel/random/boot_id"
"""A new one at each start of the machine."""


class Kernel:
    """CPU and memory come from psutil, imported by the first call."""

    def hostname(self) -> str:
        return socket.gethostname()

    def set_hostname(self, name: str) -> None:
        socket.sethostname(name)

    def has_address(self, address: str) -> bool:
        """Is this IP address on the host and usable? The kernel refuses to bind to another host's, and to one that
        has not passed duplicate address detection."""
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            try:
                probe.bind((address, 0))
            except OSError:
                return False
        return True

    def architecture(self) -> str:
        return os.uname().machine

    def cpu_count(self) -> int:
        """Logical CPUs."""
        import psutil

        return psutil.cpu_count(logical=True) or 0

    def cpu_mhz(self) -> float:
        """The highest clock the CPU can run at, else the present one; 0 when unknown."""
        import psutil

        frequency = psutil.cpu_freq()
        return 0.0 if frequency is None else float(frequency.max or frequency.current)

    def usable_memory(self) -> int:
        """Bytes, without what the kernel keeps for itself."""
        import psutil

        return int(psutil.virtual_memory().total)
