"""The only access to the operating system: processes, files, clock, kernel, netlink, packets, udev, D-Bus.

Everything else takes a `Machine`. Tests pass one whose root is a directory, whose programs are scripts, or which
lives in a network namespace with the real NetworkManager; the logic has no switch for that.
"""

from agent.machine.clock import Clock
from agent.machine.files import Files
from agent.machine.kernel import Kernel
from agent.machine.machine import Machine
from agent.machine.netlink import Address, KernelRoute, Link, Netlink
from agent.machine.packets import Packets
from agent.machine.process import Finished, Processes, ProcessFailed
from agent.machine.udev import BlockDevice, Udev

__all__ = [
    "Address",
    "BlockDevice",
    "Clock",
    "Files",
    "Finished",
    "Kernel",
    "KernelRoute",
    "Link",
    "Machine",
    "Netlink",
    "Packets",
    "ProcessFailed",
    "Processes",
    "Udev",
]
