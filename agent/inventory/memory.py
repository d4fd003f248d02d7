"""Memory: what is plugged in, and what the kernel leaves us of it."""

from __future__ import annotations

from agent.machine import Files, Machine
from agent.model.inventory import Memory

BLOCKS = "/sys/devices/system/memory"


def collect(machine: Machine) -> Memory:
    usable = machine.kernel.usable_memory()
    physical = _online_blocks(machine.files)
    return Memory(
        physical_bytes=physical or usable,
        usable_bytes=usable,
        physical_bytes_method="ghw" if physical else "meminfo",
        swap_bytes=parse_swaps(machine.files.attribute("/proc/swaps")),
    )


def parse_swaps(swaps: str) -> int:
    """Third column of `/proc/swaps`, in KiB, below a line of headings; zram counts like any other."""
    return sum(int(line.split()[2]) * 1024 for line in swaps.splitlines()[1:])


def _online_blocks(files: Files) -> int:
    """Online memory blocks × block size; 0 where the kernel was built without hot-plug."""
    size = int(files.attribute(f"{BLOCKS}/block_size_bytes", "0"), 16)
    blocks = [name for name in files.names(BLOCKS) if name.removeprefix("memory").isdigit()]
    return size * sum(files.attribute(f"{BLOCKS}/{block}/online") == "1" for block in blocks)
