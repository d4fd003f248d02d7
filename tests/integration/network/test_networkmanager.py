"""The connection to the real NetworkManager itself: what a program that has had one may still do."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.fakes.network.network_host import BOTH_ROOTS, network_host

pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(os.geteuid() != 0, reason="namespaces need root"),
    BOTH_ROOTS,
]

# The network changes after Python's end, while libc ends the process: what GLib's threads hear then is not for Python.
ENDS_IN_A_CHANGING_NETWORK = """
import asyncio, ctypes
from agent.machine.networkmanager import NetworkManager

async def main():
    async with NetworkManager() as manager:
        await anext(manager.changes())

libc = ctypes.CDLL(None)
libc.strdup.restype = ctypes.c_void_p
change = "for how in no yes no yes; do nmcli device set enp1s0 autoconnect $how; done; echo changed"
libc.__cxa_atexit(libc.system, ctypes.c_void_p(libc.strdup(change.encode())), None)
asyncio.run(main())
"""


def test_network_changes_while_the_program_ends_are_harmless(root: Path) -> None:
    with network_host(root) as machine:
        machine.plug_nic("enp1s0", "52:54:00:00:00:01")
        with machine.network_manager():
            ended = machine.run(machine.python, "-c", ENDS_IN_A_CHANGING_NETWORK)
    assert (ended.returncode, ended.stdout) == (0, "changed\n"), ended.stderr
