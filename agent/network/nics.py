"""The NICs of this machine by their permanent MAC.

sysfs answers at once when the address in use is the hardware's own, as it is before NetworkManager starts; only when
some address was changed (a bond's port, a VM's odd NIC) does netlink read the permanent one, which costs a process.
"""

from __future__ import annotations

from dataclasses import dataclass

from agent.machine import Files, Machine

SYS_CLASS_NET = "/sys/class/net"
UDEV_RUNS = "/run/udev/control"
UDEV_KNOWS = "/run/udev/data/n{index}"  # written when udev has given the NIC its name
ARPHRD_ETHER = "1"
NET_ADDR_PERM = "0"
NET_ADDR_RANDOM = "1"


@dataclass(frozen=True)
class Nic:
    """`mac`: permanent where the hardware reports it, else the address in use; lower case with colons."""

    name: str
    mac: str

    def __str__(self) -> str:
        return f"{self.name} ({self.mac})"


def read_nics(machine: Machine) -> tuple[Nic, ...]:
    """Ethernet NICs by name. Bonds, bridges and VLANs are none, their MAC is a copy of a NIC's; nor is a link for which
    the kernel made up an address, such as a pod's. One that udev has not seen yet may still change its name: it is not
    there yet."""
    names = [name for name in machine.files.names(SYS_CLASS_NET) if _is_nic(machine.files, name)]
    changed = any(_attribute(machine.files, name, "addr_assign_type") != NET_ADDR_PERM for name in names)
    permanent = {link.name: link.permanent_mac for link in machine.netlink.links()} if changed else {}
    return tuple(Nic(name, permanent.get(name) or _attribute(machine.files, name, "address").lower()) for name in names)


def _is_nic(files: Files, name: str) -> bool:
    kind = dict(line.split("=", 1) for line in _attribute(files, name, "uevent").splitlines() if "=" in line)
    return (
        _attribute(files, name, "type") == ARPHRD_ETHER
        and kind.get("DEVTYPE", "") in {"", "dsa"}
        and _attribute(files, name, "addr_assign_type") != NET_ADDR_RANDOM
        and _has_its_name(files, name)
    )


def _has_its_name(files: Files, name: str) -> bool:
    index = _attribute(files, name, "ifindex")
    return not files.at(UDEV_RUNS).exists() or files.at(UDEV_KNOWS.format(index=index)).exists()


def _attribute(files: Files, name: str, attribute: str) -> str:
    return files.attribute(f"{SYS_CLASS_NET}/{name}/{attribute}")
