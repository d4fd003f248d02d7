"""Does every bond's mode have the options it is given? One that it has not makes NetworkManager refuse the bond."""

from __future__ import annotations

from collections.abc import Iterator

from inputs.document.findings import Finding
from inputs.document.source import Place
from inputs.rules.facts import Facts
from inputs.rules.interface_facts import INTERFACES
from inputs.schema.bond_options import MODES, NOT_IN

# An option → those of which one must be set too.
_NEEDS = {"updelay": "miimon", "downdelay": "miimon", "arp_interval": "arp_ip_target", "arp_ip_target": "arp_interval",
          "arp_validate": "arp_interval"}  # fmt: skip


def bond_options_fit(facts: Facts) -> Iterator[Finding]:
    for host in facts.hosts:
        for bond in host.find(dict, *INTERFACES, "link-aggregation"):
            mode = _word(bond.value.get("mode"))
            for options in bond.source.find(dict, *bond.path, "options"):
                if not any(path[: len(options.path)] == options.path for path in options.source.invalid):
                    yield from _of_this_mode(options, mode)
                    yield from _complete(options)
                    yield from _one_way_of_watching(options)


def _word(mode: object) -> str:
    return MODES[mode] if isinstance(mode, int) and 0 <= mode < len(MODES) else str(mode)


def _of_this_mode(options: Place[dict[str, object]], mode: str) -> Iterator[Finding]:
    for option in options.value:
        if mode in NOT_IN.get(option, ()):
            fitting = ", ".join(other for other in MODES if other not in NOT_IN[option])
            yield options.source.finding(
                (*options.path, option), "bond-option-not-in-mode",
                f"Mode {mode} has no option {option}.", f"Remove it, or choose one of: {fitting}.", at_key=True,
            )  # fmt: skip


def _complete(options: Place[dict[str, object]]) -> Iterator[Finding]:
    for option, needed in _NEEDS.items():
        if options.value.get(option) and not options.value.get(needed):
            yield options.source.finding(
                (*options.path, option), "bond-option-incomplete",
                f"{option} does nothing without {needed}.", f"Set {needed} too, or remove {option}.", at_key=True,
            )  # fmt: skip


def _one_way_of_watching(options: Place[dict[str, object]]) -> Iterator[Finding]:
    if options.value.get("miimon") and options.value.get("arp_interval"):
        yield options.source.finding(
            (*options.path, "arp_interval"), "bond-options-contradict",
            "A bond watches its ports by miimon or by ARP, not both.", "Remove one of the two.", at_key=True,
        )  # fmt: skip
