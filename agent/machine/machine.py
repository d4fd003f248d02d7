"""One machine: its root directory, its programs, its clock, its kernel, network and devices."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from agent.machine.clock import Clock
from agent.machine.files import Files
from agent.machine.kernel import Kernel
from agent.machine.netlink import Netlink
from agent.machine.packets import Packets
from agent.machine.process import Processes
from agent.machine.udev import Udev


@dataclass(frozen=True)
class Machine:
    """What the logic gets instead of the operating system."""

    files: Files = field(default_factory=lambda: Files(Path("/")))
    processes: Processes = field(default_factory=Processes)
    clock: Clock = field(default_factory=Clock)
    kernel: Kernel = field(default_factory=Kernel)
    netlink: Netlink = field(default_factory=Netlink)
    packets: Packets = field(default_factory=Packets)
    udev: Udev = field(default_factory=Udev)
