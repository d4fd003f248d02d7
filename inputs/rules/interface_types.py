"""Does an interface have the settings that its type needs, and none of another type's?"""

from __future__ import annotations

from collections.abc import Iterator

from inputs.document.findings import Finding
from inputs.rules.facts import IDENTITY, Facts
from inputs.rules.interface_facts import InterfaceFacts, configured

_SECTIONS = {"link-aggregation": "bond", "vlan": "vlan", "bridge": "linux-bridge", "vrf": "vrf", "ethernet": "ethernet"}
_NEEDED = {"bond": "link-aggregation", "vlan": "vlan", "vrf": "vrf"}
# As in the image's NetworkManager/conf.d/10-cluster0.conf, unmanaged-devices.
NAMES_OF_PODS = ("cni", "veth", "flannel", "cali", "tunl", "vxlan", "cilium", "kube-", "dummy")
_LONGEST_NAME = 15  # IFNAMSIZ, less the final zero


def interface_types_fit(facts: Facts) -> Iterator[Finding]:
    for host in facts.hosts:
        if host.interfaces_have_errors(*IDENTITY, *((section,) for section in _SECTIONS)):
            continue
        for interface in configured(host):
            yield from _needed(interface)
            yield from _foreign(interface)
            yield from _name_fits(interface)
            yield from _name_is_free(interface)
            yield from _identity(interface)
            yield from _speed_with_duplex(interface)


def _needed(interface: InterfaceFacts) -> Iterator[Finding]:
    section = _NEEDED.get(interface.kind)
    if section and not any(True for _ in interface.find(dict, section)):
        yield interface.place().error(
            "section-missing",
            f"{interface.name} is of type {interface.kind}, but has no `{section}`.",
            f"Add `{section}`, or correct the type.",
        )


def _foreign(interface: InterfaceFacts) -> Iterator[Finding]:
    for section, kind in _SECTIONS.items():
        for place in interface.find(dict, section):
            if kind != interface.kind:
                yield place.source.finding(
                    place.path, "section-of-another-type",
                    f"`{section}` is for the type {kind}; {interface.name} is of type {interface.kind}.",
                    f"Write type: {kind}, or remove `{section}`.", at_key=True,
                )  # fmt: skip


def _name_fits(interface: InterfaceFacts) -> Iterator[Finding]:
    """A NIC's name is only the user's handle for it; any other interface is created under its name."""
    if interface.kind != "ethernet" and len(interface.name) > _LONGEST_NAME:
        yield interface.place().error(
            "interface-name-too-long",
            f"{interface.name} has {len(interface.name)} characters; the kernel takes {_LONGEST_NAME} at most.",
            "Choose a shorter name.",
        )


def _name_is_free(interface: InterfaceFacts) -> Iterator[Finding]:
    """What pods and the container runtime make is theirs: NetworkManager leaves such names alone in the image."""
    if interface.kind != "ethernet" and interface.name.startswith(NAMES_OF_PODS):
        yield interface.place().error(
            "interface-name-reserved",
            f"{interface.name} is a name that only pods' interfaces have; NetworkManager would not touch it.",
            f"Choose a name that begins with none of: {', '.join(NAMES_OF_PODS)}.",
        )


def _identity(interface: InterfaceFacts) -> Iterator[Finding]:
    for identifier in interface.find(str, "identifier"):
        if identifier.value == "mac-address" and interface.kind != "ethernet":
            yield identifier.error(
                "identifier-not-a-nic",
                f"Only a NIC is found by its MAC address; {interface.name} is of type {interface.kind}.",
                "Remove `identifier`; with `mac-address` alone it takes that address.",
            )


def _speed_with_duplex(interface: InterfaceFacts) -> Iterator[Finding]:
    for settings in interface.find(dict, "ethernet"):
        if bool(settings.value.get("speed")) != bool(settings.value.get("duplex")):
            yield settings.error(
                "speed-without-duplex", "Speed and duplex are only set together.", "Write both, or none of them."
            )
