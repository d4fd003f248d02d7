"""The only door to the outside: processes, files, clock, netlink, D-Bus, power.

Everything else takes a `Machine`. Tests give one whose root is a directory, whose programs are scripts, or which
lives in a network namespace with the real NetworkManager; the logic has no switch for that.
"""

from agent.machine.clock import Clock
from agent.machine.files import Files
from agent.machine.machine import Machine
from agent.machine.process import Finished, Processes, ProcessFailed

__all__ = ["Clock", "Files", "Finished", "Machine", "ProcessFailed", "Processes"]
