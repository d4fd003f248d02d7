"""The network of a host with the real NetworkManager: chosen by MAC before it starts, verified after."""

from __future__ import annotations

import gzip
import os
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from agent.install.host_config import host_config
from agent.machine import Files
from agent.model.host_documents import Installed, NetworkReport
from agent.model.host_paths import CA_FILE, INTENT_FILE, LIVE_TOKEN_FILE, NETWORK_FILE
from agent.model.network import Dns, Ethernet, IpConfig, IpMethod, NetworkModel, Route
from agent.model.states import InstallRole
from agent.network.keyfiles import DIRECTORY
from ignition import spec
from tests.fakes.inputs.intents import NETWORK, host, intent, mac
from tests.fakes.network.network_host import BOTH_ROOTS, NetworkHost, network_host

pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(os.geteuid() != 0, reason="namespaces need root"),
    BOTH_ROOTS,
]


DUAL_STACK = NetworkModel(
    interfaces=(
        Ethernet(
            name="eth0",
            mac=mac(1),
            ipv4=IpConfig(method=IpMethod.MANUAL, addresses=("192.0.2.10/24", "192.0.2.11/24")),
            ipv6=IpConfig(method=IpMethod.MANUAL, addresses=("2001:db8::10/64",)),
            mtu=1400,
        ),
    ),
    routes=(
        Route(destination="0.0.0.0/0", gateway="192.0.2.1", interface="eth0", metric=50),
        Route(destination="::/0", gateway="2001:db8::1", interface="eth0"),
        Route(destination="198.51.100.0/24", gateway="192.0.2.2", interface="eth0", metric=10, table=200),
        Route(destination="203.0.113.0/24", gateway="", interface="eth0", metric=20),
    ),
    dns=Dns(servers=("192.0.2.1", "2001:db8::1"), search=("example.com",)),
)


@pytest.fixture
def machine(root: Path) -> Iterator[NetworkHost]:
    """A host that has booted an ISO made for host1 to host3."""
    with network_host(root) as made:
        made.at(INTENT_FILE).parent.mkdir(parents=True)
        made.at(INTENT_FILE).write_bytes(msgspec.json.encode(intent(host(1), host(2), host(3))))
        yield made


def test_a_host_gets_its_static_address_by_mac(machine: NetworkHost) -> None:
    machine.plug_nic("enp1s0", mac(2))
    configured = machine.agent("network")
    assert configured.returncode == 0, configured.stderr
    with machine.network_manager():
        verified = machine.agent("network-verify")
        assert verified.returncode == 0, verified.stderr
        assert f"{NETWORK}.11/24" in machine.run("ip", "address", "show", "enp1s0").stdout
        assert f"via {NETWORK}.1 " in machine.run("ip", "route", "show", "default").stdout
    assert machine.run("hostname").stdout == "host2\n"
    assert "api-int.demo.example.com" in machine.at("/etc/hosts").read_text()
    report = report_of(machine)
    assert report is not None
    assert [(device.interface, device.state, device.addresses) for device in report.devices if device.addresses] == [
        ("enp1s0", "activated", (f"{NETWORK}.11/24",))
    ]


def test_networkmanager_applies_every_option_of_the_network_model(machine: NetworkHost) -> None:
    machine.at(INTENT_FILE).write_bytes(msgspec.json.encode(intent(host(1, DUAL_STACK))))
    machine.plug_nic("enp1s0", mac(1))
    assert machine.agent("network").returncode == 0
    with machine.network_manager():
        verified = machine.agent("network-verify")
        assert verified.returncode == 0, verified.stderr
        shown = machine.run("ip", "address", "show", "enp1s0").stdout
        assert all(text in shown for text in ("mtu 1400", "192.0.2.10/24", "192.0.2.11/24", "2001:db8::10/64"))
        routes = machine.run("ip", "route", "show", "table", "all").stdout
        assert "default via 192.0.2.1 dev enp1s0 proto static metric 50" in routes
        assert "198.51.100.0/24 via 192.0.2.2 dev enp1s0 table 200 proto static metric 10" in routes
        assert "203.0.113.0/24 dev enp1s0 proto static scope link metric 20" in routes
        assert "default via 2001:db8::1" in machine.run("ip", "-6", "route").stdout
        names = machine.run("nmcli", "--get-values", "IP4.DNS,IP6.DNS,IP4.SEARCHES", "device", "show", "enp1s0").stdout
        assert names.replace("\\", "").split() == ["192.0.2.1", "2001:db8::1", "example.com"]


def test_a_network_edited_in_the_live_system_is_installed(machine: NetworkHost) -> None:
    """Byte for byte, and with the modes that NetworkManager insists on."""
    machine.plug_nic("enp1s0", mac(1))
    assert machine.agent("network").returncode == 0
    with machine.network_manager():
        assert machine.agent("network-verify").returncode == 0
        added = ("nmcli", "connection", "add", "type", "dummy", "ifname", "storage0", "con-name", "by hand")
        assert machine.run(*added, "ip4", "198.51.100.7/24", "autoconnect", "no").returncode == 0
        assert machine.run("nmcli", "connection", "modify", "eth0", "+ipv4.addresses", "192.0.2.77/24").returncode == 0
    for path in (LIVE_TOKEN_FILE, CA_FILE):
        machine.at(path).write_text("there\n")
    master = InstallRole.MASTER
    installed = Installed(cluster_id="c", infra_env_id="i", host_id="h", role=master, boot_device="/dev/vda")
    config = host_config(Files(machine.at("/")), intent(host(1)), installed)
    profiles = {f.path: f for f in config.storage.files if f.path.startswith(DIRECTORY)}
    assert sorted(profiles) == [f"{DIRECTORY}/by hand.nmconnection", f"{DIRECTORY}/eth0.nmconnection"]
    for path, file in profiles.items():
        assert (content_of(file), file.mode) == (machine.at(path).read_bytes(), 0o600)
    assert b"192.0.2.77/24" in content_of(profiles[f"{DIRECTORY}/eth0.nmconnection"])


def content_of(file: spec.File) -> bytes:
    """What Ignition will write."""
    with urllib.request.urlopen(file.contents.source or "") as content:
        data = bytes(content.read())
    return gzip.decompress(data) if file.contents.compression == "gzip" else data


def report_of(machine: NetworkHost) -> NetworkReport | None:
    return Files(machine.at("/")).load(NETWORK_FILE, NetworkReport)
