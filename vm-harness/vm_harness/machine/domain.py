"""A host as libvirt's domain XML (https://libvirt.org/formatdomain.html).

Nothing here has effects.
"""

from __future__ import annotations

import os
from pathlib import Path
from uuid import UUID
from xml.etree.ElementTree import Element, SubElement, indent, tostring

import msgspec

from vm_harness.machine.accel import Acceleration
from vm_harness.machine.cpu import CpuModel
from vm_harness.machine.firmware import UEFI_FILES, Firmware
from vm_harness.machine.media import Medium

DOMAIN_TYPES = {Acceleration.KVM: "kvm", Acceleration.EMULATION: "qemu"}
MEDIUM_TARGET = "sdf"
"""The medium's place on the SATA controller: the last one, so that disks get the first ones."""
TB_CACHE_MIB = 2048
"""Size of QEMU's translation cache. When it is full, QEMU drops all of it and translates again: with QEMU's own 1024
that happens six times during the install of one node, and each time costs about 20 s of a core."""


class Disk(msgspec.Struct, frozen=True):
    """A disk the host may install on. `target`: the name that Linux gives it, `vda` (virtio) or `sda` (SATA)."""

    image: Path
    target: str = "vda"

    @property
    def bus(self) -> str:
        return "sata" if self.target.startswith("sd") else "virtio"


class Domain(msgspec.Struct, frozen=True, kw_only=True):
    """One virtual machine. `bridges`: of the NICs, in the order of `macs`.

    Boot order: disks before a CD or the network, unless `medium_first`. A stick always comes first, because SeaBIOS
    takes it for a hard disk and tries only the first of those. Where the medium comes first, it has to start an
    installed disk itself.
    """

    name: str
    uuid: UUID
    memory_mib: int
    vcpus: int
    acceleration: Acceleration
    cpu: CpuModel
    firmware: Firmware
    nvram: Path
    disks: tuple[Disk, ...]
    medium: Path | None
    medium_kind: Medium
    medium_first: bool = False
    macs: tuple[str, ...]
    bridges: tuple[str, ...]
    serial_log: Path
    emulator: Path


def render(domain: Domain) -> str:
    """The domain's XML."""
    root = Element("domain", type=DOMAIN_TYPES[domain.acceleration])
    _text(root, "name", domain.name)
    _text(root, "uuid", str(domain.uuid))
    _text(root, "memory", str(domain.memory_mib), unit="MiB")
    _text(root, "vcpu", str(domain.vcpus))
    _firmware(root, domain)
    features = SubElement(root, "features")
    SubElement(features, "acpi")
    SubElement(features, "apic")
    if _is_secure(domain):
        SubElement(features, "smm", state="on")
    if domain.acceleration is Acceleration.EMULATION:
        _text(SubElement(features, "tcg"), "tb-cache", str(TB_CACHE_MIB), unit="MiB")
    _cpu(root, domain.cpu)
    SubElement(root, "clock", offset="utc")
    _text(root, "on_poweroff", "destroy")
    _text(root, "on_reboot", "restart")
    _text(root, "on_crash", "preserve")
    _devices(SubElement(root, "devices"), domain)
    indent(root)
    return tostring(root, encoding="unicode") + "\n"


def medium_device(domain: Domain, image: Path | None) -> str:
    """The XML of the medium alone, for a change while the machine runs; `image` None: an empty CD drive."""
    root = Element("devices")
    _medium(root, domain, image)
    return tostring(root[0], encoding="unicode")


def _firmware(root: Element, domain: Domain) -> None:
    os_element = SubElement(root, "os")
    _text(os_element, "type", "hvm", arch="x86_64", machine="q35")
    if files := UEFI_FILES.get(domain.firmware):
        secure = {"secure": "yes"} if files.is_secure else {}
        _text(os_element, "loader", os.fspath(files.code), readonly="yes", type="pflash", **secure)
        _text(os_element, "nvram", os.fspath(domain.nvram), template=os.fspath(files.variables))


def _is_secure(domain: Domain) -> bool:
    files = UEFI_FILES.get(domain.firmware)
    return files is not None and files.is_secure


def _medium_order(domain: Domain) -> int:
    return 1 if domain.medium_first or domain.medium_kind is Medium.USB else len(domain.disks) + 2


def _cpu(root: Element, model: CpuModel) -> None:
    cpu = SubElement(root, "cpu", mode=model.mode, check="none")
    if model.name:
        _text(cpu, "model", model.name, fallback="forbid")
    for feature in model.added:
        SubElement(cpu, "feature", policy="require", name=feature)
    for feature in model.hidden:
        SubElement(cpu, "feature", policy="disable", name=feature)


def _devices(devices: Element, domain: Domain) -> None:
    _text(devices, "emulator", os.fspath(domain.emulator))
    for order, disk in enumerate(domain.disks, start=2):
        _disk(devices, domain, disk, order)
    if domain.medium is not None:
        _medium(devices, domain, domain.medium)
    SubElement(devices, "controller", type="usb", model="qemu-xhci")
    for number, (mac, bridge) in enumerate(zip(domain.macs, domain.bridges, strict=True)):
        interface = SubElement(devices, "interface", type="bridge")
        SubElement(interface, "mac", address=mac)
        SubElement(interface, "source", bridge=bridge)
        SubElement(interface, "model", type="virtio")
        if domain.medium_kind is Medium.NETWORK and number == 0:
            SubElement(interface, "boot", order=str(_medium_order(domain)))
    serial = SubElement(devices, "serial", type="pty")
    SubElement(serial, "log", file=os.fspath(domain.serial_log), append="on")
    SubElement(SubElement(devices, "video"), "model", type="vga")
    rng = SubElement(devices, "rng", model="virtio")
    _text(rng, "backend", "/dev/urandom", model="random")
    SubElement(devices, "memballoon", model="none")


def _disk(devices: Element, domain: Domain, disk: Disk, order: int) -> None:
    element = SubElement(devices, "disk", type="file", device="disk")
    # A raw image in this computer's page cache: what the guest wrote outlives QEMU. A power cut of the guest loses only
    # what was in flight, so flushes need not reach this computer's disk.
    SubElement(element, "driver", name="qemu", type="raw", cache="unsafe", discard="unmap")
    SubElement(element, "source", file=os.fspath(disk.image))
    SubElement(element, "target", dev=disk.target, bus=disk.bus)
    _text(element, "serial", f"{domain.name}-{disk.target}")
    SubElement(element, "boot", order=str(order))


def _medium(devices: Element, domain: Domain, image: Path | None) -> None:
    is_cd = domain.medium_kind is Medium.CDROM
    element = SubElement(devices, "disk", type="file", device="cdrom" if is_cd else "disk")
    SubElement(element, "driver", name="qemu", type="raw")
    if image is not None:
        SubElement(element, "source", file=os.fspath(image))
    target = SubElement(element, "target", dev=MEDIUM_TARGET, bus="sata" if is_cd else "usb")
    if is_cd:
        SubElement(element, "readonly")
    else:
        target.set("removable", "on")
    SubElement(element, "boot", order=str(_medium_order(domain)))


def _text(parent: Element, tag: str, text: str, **attributes: str) -> Element:
    element = SubElement(parent, tag, attributes)
    element.text = text
    return element
