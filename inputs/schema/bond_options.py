"""A bond's mode and options: the kernel's own names and words (Documentation/networking/bonding.rst).

A word may also be given by the kernel's number for it. `NOT_IN`: option → modes that do not have it. NetworkManager
rejects the whole connection for an option that its mode does not have.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from pydantic import BeforeValidator, ConfigDict, Field

from inputs.schema.model import InputModel
from inputs.schema.values import IpAddress, Mac, invalid_value

MODES = ("balance-rr", "active-backup", "balance-xor", "broadcast", "802.3ad", "balance-tlb", "balance-alb")


def _only(*modes: str) -> frozenset[str]:
    return frozenset(MODES) - set(modes)


_ARP_MONITORS = _only("802.3ad", "balance-tlb", "balance-alb")
NOT_IN: dict[str, frozenset[str]] = {
    "ad_actor_sys_prio": _only("802.3ad"),
    "ad_actor_system": _only("802.3ad"),
    "ad_user_port_key": _only("802.3ad"),
    "arp_interval": _only(*_ARP_MONITORS),
    "arp_ip_target": _only(*_ARP_MONITORS),
    "arp_validate": _only(*_ARP_MONITORS),
    "lacp_rate": _only("802.3ad"),
    "packets_per_slave": _only("balance-rr"),
    "primary": _only("active-backup", "balance-tlb", "balance-alb"),
    "tlb_dynamic_lb": _only("balance-tlb"),
}


def _word(*words: str) -> Callable[[object], object]:
    """Accepts one of `words`, or its number: its position among them."""

    def check(value: object) -> object:
        if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < len(words):
            return words[value]
        if value not in words:
            raise invalid_value("value-invalid", f"Allowed here: {', '.join(words)}.", "Write one of them.")
        return value

    return check


def _switch(value: object) -> object:
    if value not in (0, 1):
        raise invalid_value("value-invalid", "true or false is expected here.", "Write true or false without quotes.")
    return bool(value)


def _listed(value: object) -> object:
    """Addresses joined by commas, as the kernel accepts them, or a list."""
    parts = value.split(",") if isinstance(value, str) else value
    return tuple(parts) if isinstance(parts, list) else parts


BondMode = Annotated[str, BeforeValidator(_word(*MODES))]
_Switch = Annotated[bool | None, BeforeValidator(_switch)]
_Milliseconds = Annotated[int | None, Field(ge=0, le=2_147_483_647)]
_Notices = Annotated[int | None, Field(ge=0, le=255)]


class BondOptions(InputModel):
    """Omitted options keep the kernel's default. Times in milliseconds, `lp_interval` in seconds."""

    model_config = ConfigDict(alias_generator=lambda name: name)

    miimon: _Milliseconds = None
    updelay: _Milliseconds = None
    downdelay: _Milliseconds = None
    arp_interval: _Milliseconds = None
    arp_ip_target: Annotated[tuple[IpAddress, ...] | None, BeforeValidator(_listed)] = None
    arp_validate: Annotated[str | None, BeforeValidator(_word("none", "active", "backup", "all"))] = None
    arp_all_targets: Annotated[str | None, BeforeValidator(_word("any", "all"))] = None
    primary: str | None = None
    primary_reselect: Annotated[str | None, BeforeValidator(_word("always", "better", "failure"))] = None
    fail_over_mac: Annotated[str | None, BeforeValidator(_word("none", "active", "follow"))] = None
    use_carrier: _Switch = None
    lacp_rate: Annotated[str | None, BeforeValidator(_word("slow", "fast"))] = None
    ad_select: Annotated[str | None, BeforeValidator(_word("stable", "bandwidth", "count"))] = None
    ad_actor_sys_prio: Annotated[int | None, Field(ge=1, le=65_535)] = None
    ad_actor_system: Mac | None = None
    ad_user_port_key: Annotated[int | None, Field(ge=0, le=1023)] = None
    xmit_hash_policy: Annotated[
        str | None, BeforeValidator(_word("layer2", "layer3+4", "layer2+3", "encap2+3", "encap3+4", "vlan+srcmac"))
    ] = None
    min_links: Annotated[int | None, Field(ge=0, le=2_147_483_647)] = None
    num_grat_arp: _Notices = None
    num_unsol_na: _Notices = None
    resend_igmp: _Notices = None
    packets_per_slave: Annotated[int | None, Field(ge=0, le=65_535)] = None
    tlb_dynamic_lb: _Switch = None
    all_slaves_active: _Switch = None
    lp_interval: Annotated[int | None, Field(ge=1, le=2_147_483_647)] = None

    def given(self) -> dict[str, str]:
        """The options that are set, with values as the kernel and NetworkManager spell them."""
        values = {name: getattr(self, name) for name in type(self).model_fields}
        return {name: _spelt(value) for name, value in values.items() if value is not None}


def _spelt(value: object) -> str:
    if isinstance(value, tuple):
        return ",".join(value)
    return str(int(value) if isinstance(value, bool) else value)
