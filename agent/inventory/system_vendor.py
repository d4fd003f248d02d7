"""Who made the machine. All of it is optional: some firmware has no values, some kernels have no DMI."""

from __future__ import annotations

from agent.inventory.cpu import parse as parse_cpuinfo
from agent.machine import Machine
from agent.model.inventory import SystemVendor

DMI = "/sys/class/dmi/id"


def collect(machine: Machine) -> SystemVendor:
    flags = parse_cpuinfo(machine.files.attribute("/proc/cpuinfo")).get("flags", "").split()
    return SystemVendor(
        manufacturer=machine.files.attribute(f"{DMI}/sys_vendor"),
        product_name=machine.files.attribute(f"{DMI}/product_name"),
        serial_number=machine.files.attribute(f"{DMI}/product_serial"),
        virtual="hypervisor" in flags,
        product_uuid=machine.files.attribute(f"{DMI}/product_uuid").lower(),
    )
