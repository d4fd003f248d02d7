"""The kernel's links, addresses, routes and neighbours as `Netlink` reads them, in a network namespace of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import pytest

from tests.paths import REPOSITORY

pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(os.geteuid() != 0, reason="a network namespace needs root"),
]

READ = """
import json
from agent.machine.netlink import Netlink

netlink = Netlink()
print(json.dumps({
    "links": {link.name: [link.mac, link.permanent_mac, link.mtu, link.kind, sorted(link.flags)]
              for link in netlink.links()},
    "addresses": sorted([address.interface, address.address] for address in netlink.addresses()),
    "routes": sorted([route.interface, route.destination, route.gateway, route.family, route.metric]
                     for route in netlink.routes()),
    "neighbours": sorted([*key, mac] for key, mac in netlink.neighbours().items()),
}))
"""
MAC, OTHER_MAC = "02:00:00:00:00:0a", "02:00:00:00:00:0b"


def read(*commands: str) -> dict[str, Any]:
    """What `Netlink` reads after the `ip` commands in a new network namespace."""
    script = "\n".join(["set -e", *(f"ip {command}" for command in commands), 'exec "$@"'])
    argv = ["unshare", "--net", "sh", "-c", script, "sh", sys.executable, "-c", READ]
    ran = subprocess.run(argv, cwd=REPOSITORY, capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(ran.stdout)
    return found


def test_links_have_their_mac_size_driver_and_flags() -> None:
    found = read(
        f"link add eth0 address {MAC} mtu 1400 type veth peer name peer0",
        "link add br0 type bridge",
        "link set peer0 master br0",
        "link set eth0 up",
    )["links"]
    assert found["eth0"][:4] == [MAC, "", 1400, "veth"]
    assert {"UP", "BROADCAST", "MULTICAST"} <= set(found["eth0"][4])
    assert "RUNNING" not in found["eth0"][4]
    assert found["br0"][3:] == ["bridge", ["BROADCAST", "MULTICAST"]]
    assert found["lo"][4] == ["LOOPBACK"]


def test_a_link_runs_while_the_other_end_is_up() -> None:
    found = read("link add eth0 type veth peer name peer0", "link set peer0 up", "link set eth0 up")["links"]
    assert "RUNNING" in found["eth0"][4]


def test_only_usable_addresses_of_global_scope_are_read() -> None:
    found = read(
        "link set lo up",
        "link add eth0 type veth peer name peer0",
        "link set peer0 up",
        "link set eth0 up",
        "address add 192.0.2.10/24 dev eth0",
        "address add 169.254.7.7/16 scope link dev eth0",
        "address add 192.0.2.20 peer 192.0.2.21 dev eth0",
        "address add 2001:db8::10/64 nodad dev eth0",
        "address add 2001:db8::bad/64 dev eth0",  # duplicate address detection takes a second
    )["addresses"]
    assert found == [["eth0", "192.0.2.10/24"], ["eth0", "192.0.2.20/32"], ["eth0", "2001:db8::10/64"]]


def test_routes_are_those_of_the_main_table_with_one_interface() -> None:
    found = read(
        "link add eth0 type veth peer name peer0",
        "link set peer0 up",
        "link set eth0 up",
        "address add 192.0.2.10/24 dev eth0",
        "address add 2001:db8::10/64 nodad dev eth0",
        "route add default via 192.0.2.1 metric 100",
        "route add 198.51.100.0/24 via 192.0.2.2 table 77",
        "route add blackhole 203.0.113.0/24",
        "route add 203.0.113.128/25 nexthop via 192.0.2.3 nexthop via 192.0.2.4",
        "-6 route add default via 2001:db8::1",
    )["routes"]
    assert [route for route in found if not route[1].startswith(("fe80", "ff00"))] == [
        ["eth0", "", "192.0.2.1", 2, 100],
        ["eth0", "", "2001:db8::1", 10, 1024],
        ["eth0", "192.0.2.0", "", 2, 0],
        ["eth0", "2001:db8::", "", 10, 256],
    ]


def test_neighbours_are_those_with_a_mac() -> None:
    found = read(
        "link add eth0 type veth peer name peer0",
        "link set peer0 up",
        "link set eth0 up",
        "address add 192.0.2.10/24 dev eth0",
        f"neighbour add 192.0.2.1 lladdr {OTHER_MAC} dev eth0",
        f"neighbour add 2001:db8::1 lladdr {OTHER_MAC} dev eth0",
    )["neighbours"]
    assert found == [["eth0", "192.0.2.1", OTHER_MAC], ["eth0", "2001:db8::1", OTHER_MAC]]


def test_a_new_namespace_has_nothing_but_loopback() -> None:
    found = read()
    assert list(found["links"]) == ["lo"]
    assert (found["addresses"], found["routes"], found["neighbours"]) == ([], [], [])
