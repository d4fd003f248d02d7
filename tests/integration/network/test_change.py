"""Changes of a live network with the real NetworkManager, by a command or a document in NMState: undone where they lose
node0, in the installed system where they do not."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml
from gi.repository import Gio, GLib

from agent.model.host_paths import INTENT_FILE
from agent.network.keyfiles import DIRECTORY
from image_build.base_iso.trees import lay_over
from image_build.ingredients import package_directory
from tests.fakes.inputs.intents import NETWORK, host, intent, mac
from tests.fakes.network.network_host import BOTH_ROOTS, NetworkHost, network_host

pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(os.geteuid() != 0, reason="namespaces need root"),
    BOTH_ROOTS,
]

ETH0 = f"{DIRECTORY}/eth0.nmconnection"
OWN, NEW, LOST = f"{NETWORK}.11", "203.0.113.7", "198.51.100.7"


@pytest.fixture
def up(root: Path) -> Iterator[NetworkHost]:
    """host2 of host1 and host2 with its network up; node0's address answers."""
    with network_host(root) as made:
        made.at(INTENT_FILE).parent.mkdir(parents=True)
        made.at(INTENT_FILE).write_bytes(msgspec.json.encode(intent(host(1), host(2))))
        made.plug_nic("enp1s0", mac(2))
        made.add_address_conflict(f"{NETWORK}.10/24")
        assert made.agent("network").returncode == 0
        with made.network_manager():
            assert made.agent("network-verify").returncode == 0
            yield made


@pytest.fixture
def nmstate(up: NetworkHost) -> NetworkHost:
    """`up` with libnmstate, where the image has it from us and not from Debian."""
    lay_over(package_directory("libnmstate"), up.at("/usr/lib/python3/dist-packages/libnmstate"))
    return up


def apply(machine: NetworkHost, *interfaces: dict[str, Any], timeout: str = "30") -> subprocess.CompletedProcess[str]:
    machine.at("/run/change.yaml").write_text(yaml.safe_dump({"interfaces": list(interfaces)}))
    return machine.agent("network-apply", "--timeout", timeout, "/run/change.yaml")


def ethernet(*addresses: str) -> dict[str, Any]:
    return {"name": "enp1s0", "type": "ethernet", "state": "up", "ipv4": ipv4(*addresses)}


def ipv4(*addresses: str) -> dict[str, Any]:
    return {"enabled": True, "dhcp": False, "address": [{"ip": ip, "prefix-length": 24} for ip in addresses]}


def addresses_of(machine: NetworkHost, interface: str) -> list[str]:
    shown = yaml.safe_load(machine.run("ip", "-json", "-4", "address", "show", interface).stdout)
    return sorted(address["local"] for link in shown for address in link.get("addr_info", ()))


def test_a_change_that_loses_node0_is_undone(up: NetworkHost) -> None:
    lose = "nmcli connection modify eth0 ipv4.addresses 203.0.113.7/24 ipv4.gateway '' && nmcli connection up eth0"
    changed = up.agent("network-change", "--timeout", "3", "--", "sh", "-c", lose)
    assert changed.returncode == 1
    assert "network-change-undone" in changed.stderr
    assert up.agent("network-verify").returncode == 0
    assert "203.0.113.7" not in up.at(f"{DIRECTORY}/eth0.nmconnection").read_text()


def test_a_change_that_keeps_node0_stays_until_the_inputs_are_applied_again(up: NetworkHost) -> None:
    add = "nmcli connection modify eth0 +ipv4.addresses 203.0.113.7/24 && nmcli connection up eth0"
    changed = up.agent("network-change", "--", "sh", "-c", add)
    assert changed.returncode == 0, changed.stderr
    assert "203.0.113.7/24" in up.run("ip", "address", "show", "enp1s0").stdout
    restored = up.agent("network-change")
    assert restored.returncode == 0, restored.stderr
    shown = up.run("ip", "address", "show", "enp1s0").stdout
    assert ("203.0.113.7/24" in shown, f"{NETWORK}.11/24" in shown) == (False, True)
    assert "203.0.113.7" not in up.at(f"{DIRECTORY}/eth0.nmconnection").read_text()


def test_the_network_is_shown_as_nmstate(nmstate: NetworkHost) -> None:
    made = "ip link add br0 type bridge && ip link add veth0 master br0 type veth peer name veth1 && ip link set br0 up"
    assert nmstate.run("sh", "-c", made).returncode == 0
    shown = nmstate.agent("network-show")
    assert (shown.returncode, shown.stderr) == (0, "")
    state = yaml.safe_load(shown.stdout)
    interfaces = {interface["name"]: interface for interface in state["interfaces"]}
    assert interfaces["enp1s0"].items() >= {"state": "up", "mtu": 1500, "mac-address": mac(2)}.items()
    assert interfaces["enp1s0"]["ipv4"] == ipv4(OWN)
    assert [port["name"] for port in interfaces["br0"]["bridge"]["port"]] == ["veth0"]
    assert interfaces["veth0"]["veth"] == {"peer": "veth1"}
    default = {"destination": "0.0.0.0/0", "next-hop-address": f"{NETWORK}.1", "next-hop-interface": "enp1s0"}
    assert any(route.items() >= default.items() for route in state["routes"]["config"])
    assert state["dns-resolver"]["config"]["search"] == ["example.com"]


def test_the_shown_nmstate_can_be_applied(nmstate: NetworkHost) -> None:
    nmstate.at("/run/shown.yaml").write_text(nmstate.agent("network-show").stdout)
    applied = nmstate.agent("network-apply", "/run/shown.yaml")
    assert applied.returncode == 0, applied.stderr
    assert addresses_of(nmstate, "enp1s0") == [OWN]
    assert nmstate.agent("network-verify").returncode == 0


def test_an_applied_document_is_what_gets_installed(nmstate: NetworkHost) -> None:
    bridge = {
        "name": "storage", "type": "linux-bridge", "state": "up", "ipv4": ipv4(LOST),
        "bridge": {"port": [], "options": {"stp": {"enabled": False}}},
    }  # fmt: skip
    applied = apply(nmstate, ethernet(OWN, NEW), bridge)
    assert applied.returncode == 0, applied.stderr
    assert (addresses_of(nmstate, "enp1s0"), addresses_of(nmstate, "storage")) == ([OWN, NEW], [LOST])
    assert f"{NEW}/24" in nmstate.at(ETH0).read_text()
    assert f"{LOST}/24" in nmstate.at(f"{DIRECTORY}/storage.nmconnection").read_text()


def test_an_applied_document_that_loses_node0_is_undone(nmstate: NetworkHost) -> None:
    applied = apply(nmstate, ethernet(LOST), timeout="2")
    assert applied.returncode == 1
    assert "network-change-undone" in applied.stderr
    assert nmstate.agent("network-verify").returncode == 0
    assert addresses_of(nmstate, "enp1s0") == [OWN]
    assert LOST not in nmstate.at(ETH0).read_text()


def test_a_change_whose_program_is_killed_is_undone_by_networkmanager(up: NetworkHost) -> None:
    lose = f"nmcli connection modify eth0 ipv4.addresses {LOST}/24 ipv4.gateway '' && nmcli connection up eth0"
    assert_undone_without_us(up, "network-change", "--timeout", "2", "--", "sh", "-c", lose)


def test_an_applied_document_whose_program_is_killed_is_undone_by_networkmanager(nmstate: NetworkHost) -> None:
    nmstate.at("/run/change.yaml").write_text(yaml.safe_dump({"interfaces": [ethernet(LOST)]}))
    assert_undone_without_us(nmstate, "network-apply", "--timeout", "2", "/run/change.yaml")


def assert_undone_without_us(machine: NetworkHost, *change: str) -> None:
    """The program is killed as soon as its change is there: only NetworkManager's own timer is left."""
    with machine.process(machine.python, "-m", "agent", *change) as program:
        machine.wait_on_bus(lambda bus: addresses_of(machine, "enp1s0") == [LOST] and bool(checkpoints(bus)))
        assert program.poll() is None
    machine.wait_on_bus(lambda bus: not checkpoints(bus))
    assert machine.agent("network-verify").returncode == 0
    assert addresses_of(machine, "enp1s0") == [OWN]
    assert LOST not in machine.at(ETH0).read_text()


def checkpoints(bus: Any) -> list[str]:
    """NetworkManager's, by their paths."""
    name, path = "org.freedesktop.NetworkManager", "/org/freedesktop/NetworkManager"
    asked = GLib.Variant("(ss)", (name, "Checkpoints"))
    get = ("org.freedesktop.DBus.Properties", "Get", asked, None, Gio.DBusCallFlags.NONE, 10_000)
    (paths,) = bus.call_sync(name, path, *get).unpack()
    return list(paths)


def test_an_applied_document_that_does_not_take_effect_is_undone(nmstate: NetworkHost) -> None:
    """A NIC that is not there."""
    applied = apply(nmstate, ethernet(OWN, NEW), ethernet(LOST) | {"name": "enp9s0"})
    assert applied.returncode == 1
    assert "network-change-refused" in applied.stderr
    assert "enp9s0" in applied.stderr
    assert nmstate.agent("network-verify").returncode == 0
    assert addresses_of(nmstate, "enp1s0") == [OWN]
    assert [path.name for path in nmstate.at(DIRECTORY).iterdir()] == ["eth0.nmconnection"]
