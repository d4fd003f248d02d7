"""Facts of the running kernel, the hostname, which can be set, and the kernel to run next."""

from __future__ import annotations

import ctypes
import os
import socket
from pathlib import Path

BOOT_ID = "/proc/sys/kernel/random/boot_id"
"""A new one at each start of the machine."""
_KEXEC_FILE_LOAD = 320  # on x86-64; glibc has no function for it


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

    def load_next(self, kernel: Path, initramfs: Path, arguments: str) -> None:
        """Load what `systemctl kexec` starts: kexec_file_load(2). `arguments`: the kernel command line. Raises OSError:
        under Secure Boot also for a kernel without a valid signature."""
        libc = ctypes.CDLL(None, use_errno=True)
        line = arguments.encode()
        with kernel.open("rb") as first, initramfs.open("rb") as second:
            failed = libc.syscall(
                ctypes.c_long(_KEXEC_FILE_LOAD), first.fileno(), second.fileno(),
                ctypes.c_ulong(len(line) + 1), ctypes.c_char_p(line), ctypes.c_ulong(0),
            )  # fmt: skip
        if failed:
            number = ctypes.get_errno()
            raise OSError(number, f"kexec_file_load: {os.strerror(number)}")

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
