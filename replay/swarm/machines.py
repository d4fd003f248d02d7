"""Any number of recorded machines, each with addresses and an identity of its own."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle

import msgspec

from agent.model.intent import HostIntent, Role, RootDeviceHints
from agent.model.inventory import Interface, Inventory, InventoryRoute
from agent.record.machine import MachineRecord
from replay.recorded import machines
from replay.site import host_intent

# The recorded machines that pass all validations.
GOOD = ("bridged-vm", "edge-box", "rack-server")


def recorded(count: int) -> tuple[MachineRecord, ...]:
    """`count` machines. Number 0 has the rendezvous address."""
    found = machines()
    kinds = cycle([found[name] for name in GOOD])
    return tuple(_another(record, number) for number, record in zip(range(count), kinds, strict=False))


def intents(count: int, masters: int) -> tuple[HostIntent, ...]:
    """The inputs' view of the same machines."""
    return tuple(
        msgspec.structs.replace(
            host_intent(name=f"host{number}", mac=_mac(number, 0)),
            role=Role.MASTER if number < masters else Role.WORKER,
            root_device_hints=RootDeviceHints(),
        )
        for number in range(count)
    )


def _another(record: MachineRecord, number: int) -> MachineRecord:
    host_id = f"{number:08x}-0000-4000-8000-000000000000"
    return msgspec.structs.replace(record, host_id=host_id, inventory=_own(record.inventory, number))


def _own(inventory: Inventory, number: int) -> Inventory:
    nics = tuple(_nic(nic, number, place) for place, nic in enumerate(_addressed_first(inventory.interfaces)))
    vendor = msgspec.structs.replace(
        inventory.system_vendor, serial_number=f"{number}", product_uuid=f"{number:08x}-0000-4000-9000-000000000000"
    )
    return msgspec.structs.replace(
        inventory,
        hostname=f"host{number}",
        interfaces=nics,
        routes=(InventoryRoute(interface=nics[0].name, gateway="127.255.255.254", destination="0.0.0.0"),),
        machine_id=f"{number:032x}",
        system_vendor=vendor,
    )


def _addressed_first(nics: Sequence[Interface]) -> list[Interface]:
    return sorted(nics, key=lambda nic: not nic.ipv4_addresses)


def _nic(nic: Interface, number: int, place: int) -> Interface:
    """Only the first NIC has an address and a carrier."""
    addresses = (f"127.0.{number // 254}.{number % 254 + 1}/8",) if place == 0 else ()
    return msgspec.structs.replace(
        nic, mac_address=_mac(number, place), ipv4_addresses=addresses, ipv6_addresses=(), has_carrier=place == 0
    )


def _mac(number: int, place: int) -> str:
    return f"52:54:{place:02x}:{number >> 16 & 255:02x}:{number >> 8 & 255:02x}:{number & 255:02x}"
