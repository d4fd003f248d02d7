"""A `Judgement` for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import click

from agent.model.disk_choice import gigabytes
from agent.model.inventory import Interface, Inventory
from agent.model.printable import printable
from agent.model.states import ValidationStatus
from agent.network.device_words import reason_word, state_word
from agent.record.network import NetworkState
from cli.table import print_table
from node0.validations.host.network.has_default_route import DESTINATIONS
from replay.judge.checks import JudgedCheck, NotEvaluated
from replay.judge.disks import JudgedDisk
from replay.judge.judgement import Judgement

GIB = 2**30
NOT_RECORDED = "not recorded"


def show(name: str, judgement: Judgement) -> None:
    """On standard output. `name`: the file's."""
    _say(f"{name}: recorded {judgement.recorded_at}, {_release(judgement)}", bold=True)
    for line in (*judgement.notes, *_hardware(judgement.inventory)):
        _say(line)
    _say()
    _show_network(judgement)
    _say()
    print_table(("DISK", "SIZE", "TYPE", "MODEL", "HOLDS", "CHOICE"), map(_disk_cells, judgement.disks))
    _say()
    _say(_identity(judgement))
    _say()
    print_table(("CHECK", "RESULT", "WHY"), map(_check_cells, judgement.checks))
    _say()
    print_table(("WHY A RECORD DOES NOT SHOW IT", "CHECKS"), _grouped(judgement.not_evaluated))
    _say()
    _show_end(judgement)


def _show_network(judgement: Judgement) -> None:
    inventory, network = judgement.inventory, judgement.network
    print_table(
        ("NIC", "MAC", "CABLE", "MBIT/S", "MTU", "ADDRESSES", "NETWORKMANAGER"),
        [_nic_cells(nic, network) for nic in inventory.interfaces],
    )
    for route in inventory.routes:
        if route.destination in DESTINATIONS:
            _say(f"Default route: {route.gateway or 'without a gateway'} through {route.interface}")


def _nic_cells(nic: Interface, network: NetworkState | None) -> tuple[str, ...]:
    kind = nic.name if nic.type == "physical" else f"{nic.name} ({nic.type})"
    cable = "yes" if nic.has_carrier else "no"
    speed, mtu = (str(number) if number else "" for number in (nic.speed_mbps, nic.mtu))
    addresses = " ".join((*nic.ipv4_addresses, *nic.ipv6_addresses))
    return (kind, nic.mac_address, cable, speed, mtu, addresses, _device(nic.name, network))


def _device(name: str, network: NetworkState | None) -> str:
    """NetworkManager's state of the device, and why."""
    if network is None or network.devices is None:
        return NOT_RECORDED
    device = next((device for device in network.devices if device.interface == name), None)
    if device is None:
        return "unknown to it"
    return ": ".join(filter(None, (state_word(device.state), reason_word(device.reason))))


def _release(judgement: Judgement) -> str:
    release = f"by release {judgement.version}" if judgement.version else "by an unknown release"
    return f"{release}{', masked' if judgement.masked else ''}"


def _hardware(inventory: Inventory) -> Iterator[str]:
    vendor, cpu, boot = inventory.system_vendor, inventory.cpu, inventory.boot
    made = " ".join(filter(None, (vendor.manufacturer, vendor.product_name))) or "unknown"
    yield f"Machine: {made}{', virtual' if vendor.virtual else ''}, called {inventory.hostname or 'nothing'}"
    yield f"CPU: {cpu.count} cores, {cpu.architecture or 'unknown'}, {cpu.model_name or 'of an unknown model'}"
    swap = f", {inventory.memory.swap_bytes / GIB:.1f} GiB of swap in use" if inventory.memory.swap_bytes else ""
    yield f"Memory: {inventory.memory.physical_bytes / GIB:.1f} GiB{swap}"
    firmware = f"{boot.current_boot_mode.upper() or 'unknown'}, Secure Boot {boot.secure_boot_state}"
    order = f", tries {', '.join(entry.name for entry in boot.boot_order)}" if boot.boot_order else ""
    yield f"Firmware: {firmware}, TPM {inventory.tpm_version}{order}"


def _disk_cells(disk: JudgedDisk) -> tuple[str, ...]:
    return (disk.path, f"{gigabytes(disk.size_bytes)} GB", disk.drive_type, disk.model, _content(disk), _choice(disk))


def _content(disk: JudgedDisk) -> str:
    table = f"{disk.partition_table}: " if disk.partition_table else ""
    if disk.content is None:
        return f"{table}{NOT_RECORDED}"
    return f"{table}{'; '.join(' '.join(line.split()) for line in disk.content) or 'nothing'}"


def _choice(disk: JudgedDisk) -> str:
    if disk.place == 1:
        return "is installed to"
    return f"number {disk.place}" if disk.place else "; ".join(disk.why_not)


def _identity(judgement: Judgement) -> str:
    if not judgement.host:
        return f"Judged as a host with role {judgement.role}. {judgement.why}"
    names = ", ".join(f"{own} is {real}" for own, real in judgement.interfaces.items() if own != real)
    nics = f" Its NICs: {names}." if names else ""
    return f"Judged as host {judgement.host} of the inputs, with role {judgement.role}. {judgement.why}{nics}"


def _grouped(left_out: Sequence[NotEvaluated]) -> list[tuple[str, str]]:
    """One row for each reason."""
    reasons = dict.fromkeys(left.why for left in left_out)
    return [(why, ", ".join(left.id for left in left_out if left.why == why)) for why in reasons]


def _check_cells(check: JudgedCheck) -> tuple[str, ...]:
    remedy = f" → {check.remedy}" if check.remedy and check.status is not ValidationStatus.SUCCESS else ""
    return (check.id, _result(check), f"{check.message}{remedy}")


def _result(check: JudgedCheck) -> str:
    if check.blocks:
        return "blocks"
    return "holds" if check.status in {ValidationStatus.SUCCESS, ValidationStatus.DISABLED} else "warns"


def _show_end(judgement: Judgement) -> None:
    if not judgement.obstacles:
        _say("Nothing that the record shows keeps this machine from being installed.", fg="green")
        return
    _say("This machine would not be installed:", fg="red", bold=True)
    for obstacle in judgement.obstacles:
        _say(f"- {obstacle.title.rstrip('.')}. [{obstacle.code}]")
        for line in obstacle.detail.splitlines():
            _say(f"  {line}")
        if obstacle.remedy:
            _say(f"  → {obstacle.remedy}")


def _say(text: str = "", **style: Any) -> None:
    """`text` is of a record, which may come from a stranger."""
    click.echo(click.style(printable(text), **style) if style else printable(text))
