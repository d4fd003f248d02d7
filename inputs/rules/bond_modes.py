"""A bond has only options that its mode supports. NetworkManager rejects a bond with any other option."""

from __future__ import annotations

from collections.abc import Iterator

from inputs.document.findings import Finding
from inputs.facts.facts import Facts
from inputs.facts.field_path import field_path, section_path
from inputs.facts.fields import Fields
from inputs.facts.hosts import INTERFACES
from inputs.schema.bond_options import MODES, NOT_IN, BondOptions
from inputs.schema.network_config import LinkAggregation, NmstateInterface

_BOND = section_path(NmstateInterface, LinkAggregation, "link-aggregation")
_MODE = field_path(LinkAggregation, object, "mode")
_OPTIONS = section_path(LinkAggregation, BondOptions, "options")
_MIIMON = field_path(BondOptions, object, "miimon")
_ARP_INTERVAL = field_path(BondOptions, object, "arp_interval")
_ARP_IP_TARGET = field_path(BondOptions, object, "arp_ip_target")
_NEEDS = (
    (field_path(BondOptions, object, "updelay"), _MIIMON),
    (field_path(BondOptions, object, "downdelay"), _MIIMON),
    (_ARP_INTERVAL, _ARP_IP_TARGET),
    (_ARP_IP_TARGET, _ARP_INTERVAL),
    (field_path(BondOptions, object, "arp_validate"), _ARP_INTERVAL),
)
"""An option, and the one without which it has no effect."""


def bond_options_fit(facts: Facts) -> Iterator[Finding]:
    for host in facts.hosts:
        for interface in host.sections(INTERFACES):
            for bond in interface.sections(_BOND):
                mode = _word(bond.get(_MODE, None))
                for options in bond.sections(_OPTIONS):
                    if not options.has_errors():
                        yield from _of_this_mode(options, mode)
                        yield from _complete(options)
                        yield from _one_monitor(options)


def _word(mode: object) -> str:
    return MODES[mode] if isinstance(mode, int) and 0 <= mode < len(MODES) else str(mode)


def _of_this_mode(options: Fields[BondOptions], mode: str) -> Iterator[Finding]:
    for option in options.keys:
        if mode in NOT_IN.get(option, ()):
            supporting = ", ".join(other for other in MODES if other not in NOT_IN[option])
            rule, remedy = f"Mode {mode} has no option {option}.", f"Remove it, or choose one of: {supporting}."
            yield options.key_finding(option, "bond-option-not-in-mode", rule, remedy)


def _complete(options: Fields[BondOptions]) -> Iterator[Finding]:
    for option, needed in _NEEDS:
        if options.get(option, None) and not options.get(needed, None):
            rule = f"{option.text} has no effect without {needed.text}."
            remedy = f"Set {needed.text} too, or remove {option.text}."
            yield options.finding(option, "bond-option-incomplete", rule, remedy, at_key=True)


def _one_monitor(options: Fields[BondOptions]) -> Iterator[Finding]:
    if options.get(_MIIMON, None) and options.get(_ARP_INTERVAL, None):
        rule = "A bond monitors its ports by miimon or by ARP, not both."
        yield options.finding(_ARP_INTERVAL, "bond-options-contradict", rule, "Remove one of the two.", at_key=True)
