"""Plans the machines of a lab from a request and the hosts of the inputs. Pure functions."""

from __future__ import annotations

from collections.abc import Sequence
from ipaddress import IPv4Interface, IPv6Interface, ip_interface
from pathlib import Path
from uuid import NAMESPACE_DNS, uuid5

from vm_harness.container.machine import ContainerMachine
from vm_harness.lab.cluster.hosts import LabHost
from vm_harness.lab.request import LabRequest
from vm_harness.machine import cpu
from vm_harness.machine.accel import Acceleration
from vm_harness.machine.domain import Disk, Domain
from vm_harness.machine.machines import LabMachine, emulator
from vm_harness.machine.media import Medium
from vm_harness.machine.probe.live_system import LiveSystem


def gateway(request: LabRequest, hosts: Sequence[LabHost]) -> IPv4Interface | IPv6Interface:
    """This computer's address on the lab's link: the gateway of the first host that has one, else the topology's."""
    for host in hosts:
        if host.gateway and host.address:
            return ip_interface(f"{host.gateway}/{host.address.network.prefixlen}")
    return request.topology.gateway


def kernel_seconds(
    request: LabRequest, live: LiveSystem | None, acceleration: Acceleration, machines: int
) -> float | None:
    """Limit in seconds from power on to the first line of a kernel; None if no line is expected.

    Emulated machines share this computer's CPUs, so each of N machines has N times as long.
    """
    if request.medium is Medium.NETWORK or live is None or not live.prints_notices:
        return None
    return request.kernel_seconds * (machines if acceleration.is_emulation else 1)


def machines(
    request: LabRequest, hosts: Sequence[LabHost], iso: Path, live: LiveSystem | None, acceleration: Acceleration
) -> tuple[LabMachine, ...]:
    """One machine a host."""
    return tuple(
        LabMachine(
            domain=_domain(request, host, iso, acceleration),
            address=str(host.address.ip) if host.address else "",
            kernel_seconds=kernel_seconds(request, live, acceleration, len(hosts)),
            guest=live.digest if live else "",
        )
        for host in hosts
    )


def virtual(machines: Sequence[LabMachine | ContainerMachine]) -> list[LabMachine]:
    return [machine for machine in machines if isinstance(machine, LabMachine)]


def _domain(request: LabRequest, host: LabHost, iso: Path, acceleration: Acceleration) -> Domain:
    """Its UUID is made from the lab and the host's name, the same each time."""
    directories = request.directories
    return Domain(
        name=host.name,
        uuid=uuid5(NAMESPACE_DNS, f"{host.name}.{directories.id}.lab.cluster0.test"),
        memory_mib=request.memory_mib,
        vcpus=request.vcpus,
        acceleration=acceleration,
        cpu=cpu.choose(acceleration),
        firmware=request.firmware,
        nvram=directories.disks / f"{host.name}-nvram.fd",
        disks=(Disk(directories.disks / f"{host.name}.img", "sda" if "/sd" in host.root_disk else "vda"),),
        medium=_medium(request, host, iso),
        medium_kind=request.medium,
        medium_first=request.medium_first,
        macs=host.macs,
        bridges=host.bridges,
        serial_log=directories.logs / f"{host.name}-serial.log",
        emulator=emulator(),
    )


def _medium(request: LabRequest, host: LabHost, iso: Path) -> Path | None:
    match request.medium:
        case Medium.CDROM:
            return iso
        case Medium.USB:
            return request.directories.disks / f"{host.name}-stick.img"
        case Medium.NETWORK:
            return None
