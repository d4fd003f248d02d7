"""The mark of a `kubeadm init` or `join` that has succeeded: a host that loses power continues after it."""

from __future__ import annotations

import asyncio

from agent.machine import Machine

SYNC_SECONDS = 300


async def mark(machine: Machine, file: str) -> None:
    """Write `file`, and everything else on its file system before it.

    kubeadm and the kubelet do not sync what they write. Without this a power cut leaves the mark with empty files: the
    kubelet's certificate is lost, and no kubelet starts again.
    """
    directory = machine.files.at(file).parent
    await asyncio.to_thread(directory.mkdir, parents=True, exist_ok=True)
    await machine.processes.run(["sync", "--file-system", str(directory)], timeout=SYNC_SECONDS)
    machine.files.write(file, "")
