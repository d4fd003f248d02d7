"""What an interrupted `kubeadm init` or `kubeadm join` left, removed so that the next one starts from nothing."""

from __future__ import annotations

import asyncio
import logging
import shutil
from collections.abc import Iterable
from pathlib import Path

from agent.kubeadm.kinds import PKI
from agent.machine import Machine

log = logging.getLogger(__name__)

# What kubeadm and the kubelet write; the directories themselves are mount points.
WRITTEN = ("/etc/kubernetes", "/var/lib/kubelet")
ETCD = "/var/lib/etcd"


async def clean(machine: Machine, directories: Iterable[str]) -> None:
    """Empty `directories` if a run has begun; a fresh state is left alone."""
    if not machine.files.names(PKI):
        return
    log.info("An earlier run of kubeadm did not end: starting over")
    for unit in ("kubelet.service", "kubepods.slice"):
        await machine.processes.run(["systemctl", "stop", unit], timeout=300)
    for mount in _mounts_below(machine, "/var/lib/kubelet/"):
        await machine.processes.run(["umount", mount])
    for directory in directories:
        await asyncio.to_thread(empty, machine, directory)


def empty(machine: Machine, directory: str) -> None:
    for entry in machine.files.at(directory).iterdir():
        _remove(entry)


def _mounts_below(machine: Machine, directory: str) -> list[str]:
    mounts = [line.split()[4] for line in machine.files.read("/proc/self/mountinfo").splitlines()]
    return [path for path in reversed(mounts) if path.startswith(directory)]


def _remove(entry: Path) -> None:
    if entry.is_dir() and not entry.is_symlink():
        shutil.rmtree(entry)
    else:
        entry.unlink()
