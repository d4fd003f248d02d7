"""Options of bonds, bridges and their ports, in nispor's words, from sysfs.

https://docs.kernel.org/networking/bonding.html, https://docs.kernel.org/networking/bridge.html
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from pathlib import Path

Value = str | int | bool
Options = dict[str, Value]

NET = Path("/sys/class/net")
OFF_ON = (False, True)
# What sysfs has as a number.
WORDS: Mapping[str, tuple[Value, ...]] = {
    "stp_state": ("disabled", "kernel_stp", "user_stp"),
    "multicast_router": ("disabled", "temp_query", "perm", "temp"),
    "multicast_snooping": OFF_ON,
    "multicast_querier": OFF_ON,
    "multicast_query_use_ifaddr": OFF_ON,
}
NISPOR_BOND_NAMES = {
    "all_slaves_active": "all_subordinates_active",
    "packets_per_slave": "packets_per_subordinate",
}


def bond_options(bond: str, net: Path = NET) -> Options:
    """The bond's options that are set in sysfs: name as in nispor → value."""
    options = _read(net / bond / "bonding")
    return {NISPOR_BOND_NAMES.get(name, name): _bond_value(value) for name, value in options.items() if value != ""}


def bridge_options(bridge: str, net: Path = NET) -> Options:
    """The bridge's options in sysfs: name as in nispor → value. Times are in kernel ticks, as in nispor."""
    options = _read(net / bridge / "bridge")
    words = {name: WORDS[name][int(options[name])] for name in WORDS.keys() & options.keys()}
    hash_max = {"multicast_hash_max": options["hash_max"]} if "hash_max" in options else {}
    return options | words | hash_max


def bridge_port_options(port: str, net: Path = NET) -> Options:
    options = _read(net / port / "brport")
    return {
        "hairpin_mode": bool(options.get("hairpin_mode")),
        "stp_path_cost": options.get("path_cost", 0),
        "stp_priority": options.get("priority", 0),
    }


def _read(directory: Path) -> Options:
    """Every file that can be read: some can only be written, some exist only in another mode of a bond."""
    options: Options = {}
    for path in sorted(directory.glob("*")):
        with contextlib.suppress(OSError):
            options[path.name] = _number(path.read_text().strip())
    return options


def _number(text: str) -> Value:
    try:
        return int(text, 0)
    except ValueError:
        return text


def _bond_value(value: Value) -> Value:
    """NMState's form of sysfs' value: "active-backup" for "active-backup 1", commas between ARP targets."""
    words = str(value).split()
    if len(words) == 2 and words[1].isdigit():
        return words[0]
    return value if len(words) == 1 else ",".join(words)
