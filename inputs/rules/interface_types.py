"""An interface has the settings that its type needs, and none of another type."""

from __future__ import annotations

from collections.abc import Iterator

from inputs.document.findings import Finding
from inputs.facts.facts import Facts
from inputs.facts.field_path import FieldPath, field_path, section_path
from inputs.facts.interfaces import IDENTITY, InterfaceFacts, configured_interfaces
from inputs.schema.network_config import EthernetSettings, NmstateInterface

_BOND = field_path(NmstateInterface, dict, "link-aggregation")
_VLAN = field_path(NmstateInterface, dict, "vlan")
_VRF = field_path(NmstateInterface, dict, "vrf")
_SECTIONS: dict[FieldPath[NmstateInterface, dict[str, object]], str] = {
    _BOND: "bond",
    _VLAN: "vlan",
    field_path(NmstateInterface, dict, "bridge"): "linux-bridge",
    _VRF: "vrf",
    field_path(NmstateInterface, dict, "ethernet"): "ethernet",
}
_NEEDED = {"bond": _BOND, "vlan": _VLAN, "vrf": _VRF}
_IDENTIFIER = field_path(NmstateInterface, str, "identifier")
_ETHERNET = section_path(NmstateInterface, EthernetSettings, "ethernet")
_SPEED = field_path(EthernetSettings, int, "speed")
_DUPLEX = field_path(EthernetSettings, str, "duplex")
# As in the image's NetworkManager/conf.d/10-cluster0.conf, unmanaged-devices.
NAMES_OF_PODS = ("cni", "veth", "flannel", "cali", "tunl", "vxlan", "cilium", "kube-", "dummy")
_LONGEST_NAME = 15  # IFNAMSIZ, less the final zero


def interface_types_fit(facts: Facts) -> Iterator[Finding]:
    for host in facts.hosts:
        if host.interfaces_have_errors(*IDENTITY, *_SECTIONS):
            continue
        for interface in configured_interfaces(host):
            yield from _needed(interface)
            yield from _foreign(interface)
            yield from _name_fits(interface)
            yield from _name_is_free(interface)
            yield from _identity(interface)
            yield from _speed_with_duplex(interface)


def _needed(interface: InterfaceFacts) -> Iterator[Finding]:
    section = _NEEDED.get(interface.kind)
    if section and not interface.has(section):
        yield interface.name_place.error(
            "section-missing",
            f"{interface.name} is of type {interface.kind}, but has no `{section.text}`.",
            f"Add `{section.text}`, or correct the type.",
        )


def _foreign(interface: InterfaceFacts) -> Iterator[Finding]:
    for section, kind in _SECTIONS.items():
        if kind != interface.kind and interface.has(section):
            yield interface.finding(
                section, "section-of-another-type",
                f"`{section.text}` is for the type {kind}; {interface.name} is of type {interface.kind}.",
                f"Write type: {kind}, or remove `{section.text}`.", at_key=True,
            )  # fmt: skip


def _name_fits(interface: InterfaceFacts) -> Iterator[Finding]:
    """The name of a NIC is only the user's handle for it; any other interface is created under its name."""
    if interface.kind != "ethernet" and len(interface.name) > _LONGEST_NAME:
        yield interface.name_place.error(
            "interface-name-too-long",
            f"{interface.name} has {len(interface.name)} characters; the kernel allows {_LONGEST_NAME}.",
            "Choose a shorter name.",
        )


def _name_is_free(interface: InterfaceFacts) -> Iterator[Finding]:
    """NetworkManager in the image does not manage interfaces that pods and the container runtime create."""
    if interface.kind != "ethernet" and interface.name.startswith(NAMES_OF_PODS):
        yield interface.name_place.error(
            "interface-name-reserved",
            f"The name {interface.name} is reserved for interfaces of pods; NetworkManager would not manage it.",
            f"Choose a name that begins with none of: {', '.join(NAMES_OF_PODS)}.",
        )


def _identity(interface: InterfaceFacts) -> Iterator[Finding]:
    for identifier in interface.find(_IDENTIFIER):
        if identifier.value == "mac-address" and interface.kind != "ethernet":
            yield identifier.error(
                "identifier-not-a-nic",
                f"Only a NIC is found by its MAC address; {interface.name} is of type {interface.kind}.",
                "Remove `identifier`; with only `mac-address` it gets that address.",
            )


def _speed_with_duplex(interface: InterfaceFacts) -> Iterator[Finding]:
    for settings in interface.sections(_ETHERNET):
        if bool(settings.get(_SPEED, 0)) != bool(settings.get(_DUPLEX, "")):
            rule = "Speed and duplex can only be set together."
            yield settings.finding(None, "speed-without-duplex", rule, "Write both, or none of them.")
