"""Compares the network with the requested one, from the state of NetworkManager and the kernel. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from ipaddress import ip_interface

from agent.machine import Address
from agent.machine.networkmanager import Device
from agent.model.host_documents import DeviceReport, NetworkReport
from agent.model.problems import ProblemReport
from agent.network.device_words import reason_word, state_word


@dataclass(frozen=True)
class Expected:
    """One connection: the user's `name` for the interface, the real one, and its static addresses."""

    name: str
    interface: str
    uuid: str
    addresses: tuple[str, ...]

    def __str__(self) -> str:
        return self.name if self.name == self.interface else f"{self.name} ({self.interface})"


@dataclass(frozen=True)
class Found:
    """`addresses`: the kernel's. The rest explains what is missing, and is only looked for then: `without_carrier` are
    interfaces, `profiles` UUIDs that NetworkManager has accepted (None: not read), `taken` maps an address to the
    other MACs that have it, `macs` an interface to its own."""

    devices: Sequence[Device]
    addresses: Sequence[Address]
    without_carrier: frozenset[str] = frozenset()
    profiles: frozenset[str] | None = None
    taken: Mapping[str, frozenset[str]] = field(default_factory=dict)
    macs: Mapping[str, str] = field(default_factory=dict)


def evaluate(expected: Sequence[Expected], found: Found) -> NetworkReport:
    """A problem for each connection that is not up, and for each address the kernel does not have."""
    return NetworkReport(
        devices=tuple(_describe(device, found.addresses) for device in found.devices),
        problems=tuple(problem for want in expected for problem in _problems(want, found)),
    )


def missing_addresses(want: Expected, addresses: Sequence[Address]) -> tuple[str, ...]:
    here = {ip_interface(address.address) for address in addresses if address.interface == want.interface}
    return tuple(address for address in want.addresses if ip_interface(address) not in here)


def address_conflict(address: str, interface: str, own: str, others: frozenset[str]) -> ProblemReport:
    """`address` without its prefix length; `own` and `others` are MACs."""
    return ProblemReport(
        code="address-conflict",
        title=f"The address {address} of {interface} ({own}) is also that of {', '.join(sorted(others))}",
        remedy="Give one of the two another address. Is the other a host that an earlier ISO has installed?",
    )


def _problems(want: Expected, found: Found) -> Iterator[ProblemReport]:
    missing = missing_addresses(want, found.addresses)
    conflicts = [address for address in missing if found.taken.get(address)]
    for address in conflicts:
        ip = str(ip_interface(address).ip)
        yield address_conflict(ip, str(want), found.macs.get(want.interface, "?"), found.taken[address])
    if want.uuid not in {device.active_uuid for device in found.devices}:
        if not conflicts:
            yield _inactive(want, found)
    elif left := [address for address in missing if address not in conflicts]:
        yield ProblemReport(
            code="address-missing",
            title=f"Interface {want} is up without its address {', '.join(left)}",
            remedy="ip address; journalctl -u NetworkManager",
        )


def _inactive(want: Expected, found: Found) -> ProblemReport:
    if found.profiles is not None and want.uuid not in found.profiles:
        return ProblemReport(
            code="profile-refused",
            title=f"Interface {want} has no settings: NetworkManager did not accept its keyfile",
            remedy="journalctl -u NetworkManager has the reason; report it with this host's logs.",
        )
    device = next((device for device in found.devices if device.interface == want.interface), None)
    words = [_state(device), "there is no carrier" if want.interface in found.without_carrier else _reason(device)]
    return ProblemReport(
        code="interface-not-up",
        title=f"Interface {want} is not up: {', '.join(word for word in words if word)}",
        remedy="Is the cable plugged in, and the address free? nmcli device; journalctl -u NetworkManager",
    )


def _state(device: Device | None) -> str:
    return "NetworkManager does not know it" if device is None else state_word(device.state)


def _reason(device: Device | None) -> str:
    return "" if device is None else reason_word(device.reason)


def _describe(device: Device, addresses: Sequence[Address]) -> DeviceReport:
    return DeviceReport(
        interface=device.interface,
        state=state_word(device.state),
        reason=reason_word(device.reason),
        addresses=tuple(address.address for address in addresses if address.interface == device.interface),
    )
