"""The whole inventory. About 20 ms; it blocks, so an event loop calls it in a thread."""

from __future__ import annotations

from agent.inventory import boot, cpu, disks, hostname, interfaces, memory, network_problems, routes, system_vendor, tpm
from agent.inventory.bounded import bounded
from agent.machine import Machine
from agent.model.inventory import Inventory


def collect(machine: Machine) -> Inventory:
    nics = interfaces.collect(machine)
    found = Inventory(
        hostname=hostname.collect(machine, nics),
        cpu=cpu.collect(machine),
        memory=memory.collect(machine),
        disks=disks.collect(machine),
        interfaces=nics,
        routes=routes.collect(machine),
        boot=boot.collect(machine),
        system_vendor=system_vendor.collect(machine),
        tpm_version=tpm.collect(machine),
        machine_id=machine.files.attribute("/etc/machine-id"),
        network_problems=network_problems.collect(machine),
    )
    return bounded(found)
