"""hypothesis: `interfaces` and `networkConfig` of one host, anything that our rules accept, as YAML text."""

from __future__ import annotations

from typing import Any

import yaml
from hypothesis import strategies as st

from inputs.schema.bond_options import MODES, NOT_IN

NICS = ("nic1", "nic2", "nic3", "nic4")
Mapping = dict[str, Any]

OPTIONS: dict[str, st.SearchStrategy[Any]] = {
    "miimon": st.sampled_from([0, 100]),
    "primary_reselect": st.sampled_from(["always", "better", "failure"]),
    "fail_over_mac": st.sampled_from(["none", "active", "follow"]),
    "use_carrier": st.booleans(),
    "lacp_rate": st.sampled_from(["slow", "fast", 1]),
    "ad_select": st.sampled_from(["stable", "bandwidth", "count"]),
    "ad_actor_sys_prio": st.integers(1, 65535),
    "ad_actor_system": st.just("02:00:00:00:00:99"),
    "ad_user_port_key": st.integers(0, 1023),
    "xmit_hash_policy": st.sampled_from(["layer2", "layer3+4", "layer2+3", "encap2+3", "encap3+4", "vlan+srcmac"]),
    "arp_all_targets": st.sampled_from(["any", "all"]),
    "min_links": st.integers(0, 2),
    "num_grat_arp": st.integers(0, 255),
    "resend_igmp": st.integers(0, 255),
    "packets_per_slave": st.integers(0, 65535),
    "tlb_dynamic_lb": st.booleans(),
    "all_slaves_active": st.booleans(),
    "lp_interval": st.integers(1, 1000),
}


@st.composite
def documents(draw: st.DrawFn) -> str:
    """The address 192.0.2.10 is on the last interface, where the default route leads."""
    interfaces = [_nic(draw, name) for name in NICS[2:]]
    bond = _bond(draw)
    top = draw(st.sampled_from(["bond0", "nic3"]))
    vlan = {"name": "vlan7", "type": "vlan", "vlan": {"base-iface": top, "id": draw(st.integers(1, 4094))},
            "mtu": draw(st.integers(1280, 1500))}  # fmt: skip
    bridge = {"name": "br0", "type": "linux-bridge", "bridge": _bridge(draw)}
    address = {"enabled": True, "address": [{"ip": "192.0.2.10", "prefix-length": 24}]}
    bridge |= {"ipv4": address, "ipv6": draw(_ipv6())}
    config = {
        "interfaces": [*interfaces, bond, vlan, bridge],
        "routes": {"config": [*draw(st.lists(_routes(), max_size=3)), _route("0.0.0.0/0", "192.0.2.1")]},
        "route-rules": {"config": draw(st.lists(_rules(), max_size=2, unique_by=lambda rule: rule["priority"]))},
        "dns-resolver": {"config": draw(_dns())},
    }
    listed = [{"name": name, "macAddress": f"52:54:00:00:00:0{number}"} for number, name in enumerate(NICS, 1)]
    return yaml.safe_dump({"interfaces": listed, "networkConfig": config}, sort_keys=False)


def _nic(draw: st.DrawFn, name: str) -> Mapping:
    nic = {"name": name, "type": "ethernet", "ipv6": draw(_ipv6()), "ipv4": draw(_automatic_ipv4())}
    if draw(st.booleans()):
        nic["ethtool"] = {
            "feature": draw(st.fixed_dictionaries({}, optional={"rx-gro": st.booleans(), "rx-lro": st.booleans()})),
            "ring": draw(st.fixed_dictionaries({}, optional={"rx": st.integers(0, 65535)})),
        }
    if draw(st.booleans()):
        nic["lldp"] = {"enabled": draw(st.booleans())}
    return nic | {"wait-ip": draw(st.sampled_from(["any", "ipv4", "ipv6", "ipv4+ipv6"]))}


def _bond(draw: st.DrawFn) -> Mapping:
    mode = draw(st.sampled_from(MODES))
    allowed = {name: values for name, values in OPTIONS.items() if mode not in NOT_IN.get(name, ())}
    options = draw(st.fixed_dictionaries({}, optional=allowed))
    if options.get("miimon"):
        options |= draw(st.fixed_dictionaries({}, optional={"updelay": st.just(200), "downdelay": st.just(300)}))
    elif mode not in NOT_IN["arp_interval"] and draw(st.booleans()):
        options |= {"arp_interval": 500, "arp_ip_target": ["192.0.2.1", "192.0.2.2"]}
    if mode not in NOT_IN["primary"] and draw(st.booleans()):
        options["primary"] = draw(st.sampled_from(["nic1", "52:54:00:00:00:02"]))
    settings = {"mode": draw(st.sampled_from([mode, MODES.index(mode)])), "port": ["nic1", "52:54:00:00:00:02"]}
    return {"name": "bond0", "type": "bond", "link-aggregation": settings | {"options": options}}


def _bridge(draw: st.DrawFn) -> Mapping:
    times = {"forward-delay": st.integers(2, 30), "hello-time": st.integers(1, 10), "max-age": st.integers(6, 40)}
    stp = st.fixed_dictionaries({"enabled": st.booleans()}, optional={**times, "priority": st.integers(0, 65535)})
    port = st.fixed_dictionaries(
        {"name": st.just("vlan7")},
        optional={"stp-path-cost": st.integers(1, 65535), "stp-priority": st.integers(0, 63),
                  "stp-hairpin-mode": st.booleans()},
    )  # fmt: skip
    options = {"stp": draw(stp), "mac-ageing-time": draw(st.integers(0, 1_000_000))}
    return {"options": options, "port": [draw(port)]}


def _automatic_ipv4() -> st.SearchStrategy[Mapping]:
    optional = {
        "auto-dns": st.booleans(), "auto-gateway": st.booleans(), "auto-routes": st.booleans(),
        "auto-route-metric": st.integers(0, 4_294_967_295), "auto-route-table-id": st.integers(1, 4_294_967_295),
        "dhcp-client-id": st.sampled_from(["ll", "iaid+duid"]),
    }  # fmt: skip
    asked = st.fixed_dictionaries({"enabled": st.just(True), "dhcp": st.just(True)}, optional=optional)
    return st.one_of(st.just({"enabled": False}), asked)


def _ipv6() -> st.SearchStrategy[Mapping]:
    modes = {"addr-gen-mode": st.sampled_from(["eui64", "stable-privacy"])}
    enabled = {"enabled": st.just(True)}
    return st.one_of(
        st.just({"enabled": False}),
        st.fixed_dictionaries(enabled, optional=modes),
        st.fixed_dictionaries(enabled | {"dhcp": st.booleans(), "autoconf": st.just(True)}, optional=modes),
        st.fixed_dictionaries(enabled | {"dhcp": st.just(True)}, optional={"auto-dns": st.booleans()}),
    )


def _route(destination: str, gateway: str) -> Mapping:
    return {"destination": destination, "next-hop-address": gateway, "next-hop-interface": "br0"}


def _routes() -> st.SearchStrategy[Mapping]:
    return st.fixed_dictionaries(
        {"destination": st.sampled_from(["198.51.100.0/24", "2001:db8:1::/64"]), "next-hop-interface": st.just("br0")},
        optional={"metric": st.integers(1, 4_294_967_295), "table-id": st.integers(1, 4_294_967_295)},
    )


def _rules() -> st.SearchStrategy[Mapping]:
    return st.fixed_dictionaries(
        {"priority": st.integers(0, 32_765), "route-table": st.integers(1, 4_294_967_295)},
        optional={"ip-from": st.just("192.0.2.10/32"), "ip-to": st.just("198.51.100.0/24")},
    )


def _dns() -> st.SearchStrategy[Mapping]:
    return st.fixed_dictionaries(
        {}, optional={"server": st.just(["192.0.2.53", "203.0.113.53"]), "search": st.just(["example.com"])}
    )
