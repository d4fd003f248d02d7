"""A machine in a directory: its programs are scripts, its kernel and network return what the test sets."""

from __future__ import annotations

import asyncio
import stat
from collections.abc import AsyncGenerator, Iterator, Sequence
from pathlib import Path

from agent.machine import (
    Address,
    BlockDevice,
    Clock,
    Files,
    Kernel,
    KernelRoute,
    Link,
    Machine,
    Netlink,
    Packets,
    Processes,
    Udev,
)


class FastClock(Clock):
    """Sleeps a hundredth of what it is asked for."""

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds / 100)


class ScriptedKernel(Kernel):
    """`next`: kernel, initramfs and arguments of `load_next`, which fails with `refusal` where there is one."""

    def __init__(self, hostname: str = "localhost", refusal: OSError | None = None) -> None:
        self._hostname = hostname
        self._refusal = refusal
        self.addresses: set[str] = set()
        self.next: tuple[bytes, bytes, str] | None = None

    def load_next(self, kernel: Path, initramfs: Path, arguments: str) -> None:
        if self._refusal:
            raise self._refusal
        self.next = kernel.read_bytes(), initramfs.read_bytes(), arguments

    def has_address(self, address: str) -> bool:
        return address in self.addresses

    def hostname(self) -> str:
        return self._hostname

    def set_hostname(self, name: str) -> None:
        self._hostname = name

    def cpu_count(self) -> int:
        return 4

    def cpu_mhz(self) -> float:
        return 2400.0

    def usable_memory(self) -> int:
        return 8 * 1024**3


class ScriptedNetlink(Netlink):
    """`set_addresses` is what the kernel would announce; `late` are files of NICs, one `link_changes` after the other
    brings the next."""

    def __init__(self) -> None:
        self._links: tuple[Link, ...] = ()
        self._addresses: tuple[Address, ...] = ()
        self._routes: tuple[KernelRoute, ...] = ()
        self._changed = asyncio.Event()
        self.late: list[Sequence[tuple[Path, str]]] = []

    def set_links(self, *links: Link) -> None:
        self._links = links

    def set_routes(self, *routes: KernelRoute) -> None:
        self._routes = routes

    def set_addresses(self, *addresses: Address) -> None:
        self._addresses = addresses
        self._changed.set()

    def links(self) -> tuple[Link, ...]:
        return self._links

    def addresses(self) -> tuple[Address, ...]:
        return self._addresses

    def routes(self) -> tuple[KernelRoute, ...]:
        return self._routes

    def link_changes(self, seconds: float) -> Iterator[None]:
        yield
        if self.late:
            for path, content in self.late.pop(0):
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(content)
            yield

    async def address_changes(self) -> AsyncGenerator[None, None]:
        while True:
            self._changed.clear()
            yield
            await self._changed.wait()


class ScriptedPackets(Packets):
    """`others` are MACs that answer for any address."""

    def __init__(self) -> None:
        self.others: set[str] = set()

    async def others_with(self, address: str, nic: str, mac: str) -> set[str]:
        return self.others


class ScriptedUdev(Udev):
    def __init__(self, *disks: BlockDevice) -> None:
        self._disks = disks

    def disks(self) -> tuple[BlockDevice, ...]:
        return self._disks


class Programs:
    """Scripts on a PATH of their own; each call is remembered."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._log = directory / ".calls"
        directory.mkdir(parents=True, exist_ok=True)

    def add(self, name: str, script: str = "") -> None:
        path = self.directory / name
        path.write_text(f'#!/bin/sh\necho "{name} $*" >> {self._log}\n{script}\n')
        path.chmod(path.stat().st_mode | stat.S_IXUSR)

    @property
    def calls(self) -> list[str]:
        return self._log.read_text().splitlines() if self._log.exists() else []


def machine_in(directory: Path, *, hostname: str = "localhost", disks: Sequence[BlockDevice] = ()) -> Machine:
    """Root and programs below `directory`: `directory/root` and `directory/bin`."""
    programs = Programs(directory / "bin")
    return Machine(
        files=Files(directory / "root"),
        processes=Processes({"PATH": f"{programs.directory}:/usr/bin:/bin"}),
        clock=FastClock(),
        kernel=ScriptedKernel(hostname),
        netlink=ScriptedNetlink(),
        packets=ScriptedPackets(),
        udev=ScriptedUdev(*disks),
    )


def add_nic(root: Path, name: str, mac: str, **attributes: str) -> None:
    """An Ethernet NIC in the sysfs below `root`."""
    for path, content in nic_files(root, name, mac, **attributes):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)


def nic_files(root: Path, name: str, mac: str, **attributes: str) -> list[tuple[Path, str]]:
    values = {"address": mac, "type": "1", "addr_assign_type": "0", "uevent": f"INTERFACE={name}\n", **attributes}
    return [(root / "sys/class/net" / name / attribute, f"{value}\n") for attribute, value in values.items()]
