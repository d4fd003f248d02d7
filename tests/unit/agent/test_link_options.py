"""Options of links in sysfs. The tests write the files as the kernel does, because CI's kernel has no bonds."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from agent.machine.link_options import bond_options, bridge_options, bridge_port_options


def write(directory: Path, files: Mapping[str, str]) -> None:
    directory.mkdir(parents=True)
    for name, text in files.items():
        (directory / name).write_text(f"{text}\n")


def test_options_of_a_bond_have_their_names(tmp_path: Path) -> None:
    files = {
        "mode": "802.3ad 4", "xmit_hash_policy": "layer3+4 1", "miimon": "100", "primary": "",
        "ad_actor_system": "00:00:00:00:00:00", "arp_ip_target": "192.0.2.1 192.0.2.2", "all_slaves_active": "0",
    }  # fmt: skip
    write(tmp_path / "bond0/bonding", files)
    assert bond_options("bond0", tmp_path) == {
        "mode": "802.3ad", "xmit_hash_policy": "layer3+4", "miimon": 100,
        "ad_actor_system": "00:00:00:00:00:00", "arp_ip_target": "192.0.2.1,192.0.2.2", "all_subordinates_active": 0,
    }  # fmt: skip


def test_options_of_a_bridge_and_its_port(tmp_path: Path) -> None:
    files = {"ageing_time": "30000", "group_fwd_mask": "0x10", "hash_max": "4096", "stp_state": "1"}
    write(tmp_path / "br0/bridge", files | {"multicast_router": "2", "multicast_snooping": "1"})
    write(tmp_path / "eth0/brport", {"hairpin_mode": "1", "path_cost": "19", "priority": "32"})
    assert bridge_options("br0", tmp_path).items() >= {
        "ageing_time": 30000, "group_fwd_mask": 16, "multicast_hash_max": 4096, "stp_state": "kernel_stp",
        "multicast_router": "perm", "multicast_snooping": True,
    }.items()  # fmt: skip
    assert bridge_port_options("eth0", tmp_path) == {"hairpin_mode": True, "stp_path_cost": 19, "stp_priority": 32}


def test_a_removed_link_has_no_options(tmp_path: Path) -> None:
    assert (bond_options("bond0", tmp_path), bridge_options("br0", tmp_path)) == ({}, {})
