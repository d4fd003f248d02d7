"""Networks that cannot work: findings with their positions, all at once, before an image is created."""

from __future__ import annotations

from pathlib import Path

import pytest

from inputs.rules.interface_types import NAMES_OF_PODS
from tests.fakes.inputs.conformance_networks import DOCUMENTS, load_network
from tests.paths import REPOSITORY

CONF = REPOSITORY / "image-build/iso/overlay/etc/NetworkManager/conf.d/10-cluster0.conf"
TEXTS = {path.stem: path.read_text() for path in DOCUMENTS}
AT = "hosts[0].networkConfig.interfaces"


def findings(directory: Path, document: str, old: str, new: str) -> list[tuple[str, str]]:
    text = TEXTS[document]
    assert old in text
    rendezvous = "192.0.2.10" if "192.0.2.10" in text else "2001:db8::10"
    loaded = load_network(directory, text.replace(old, new), rendezvous=rendezvous)
    assert loaded.inputs is None
    assert all(finding.remedy and finding.line for finding in loaded.findings)
    return [(finding.path, finding.code) for finding in loaded.findings]


@pytest.mark.parametrize(
    ("document", "old", "new", "path", "code"),
    [
        # bonds
        ("bond-vlan", "port: [eno1, eno2]", "port: []", f"{AT}[0].name", "bond-without-ports"),
        ("bond-vlan", "        port: [eno1, eno2]\n", "", f"{AT}[0].name", "bond-without-ports"),
        ("bond-vlan", "port: [eno1, eno2]", "port: [eno1, eno9]", f"{AT}[0].link-aggregation.port[1]", "port-unknown"),
        ("bond-vlan", "port: [eno1, eno2]", 'port: [eno1, "52:54:00:00:00:09"]',
         f"{AT}[0].link-aggregation.port[1]", "port-unknown"),
        ("bond-vlan", "    - name: bond0.300", "    - name: bond1\n      type: bond\n      link-aggregation: "
         "{mode: 0, port: [eno2]}\n    - name: bond0.300", f"{AT}[1].link-aggregation.port[0]", "port-in-two"),
        ("bond-vlan", "    - name: bond0.300", "    - name: br0\n      type: linux-bridge\n      bridge: "
         "{port: [{name: eno2}]}\n    - name: bond0.300", f"{AT}[1].bridge.port[0].name", "port-in-two"),
        ("bond-vlan", "    - name: bond0.300", "    - name: eno1\n      ipv6: {enabled: true}\n    - name: bond0.300",
         f"{AT}[1].ipv6.enabled", "port-with-address"),
        ("bond-vlan", "mode: 802.3ad", "mode: lacp", f"{AT}[0].link-aggregation.mode", "value-invalid"),
        ("bond-vlan", "mode: 802.3ad", "mode: active-backup", f"{AT}[0].link-aggregation.options.lacp_rate",
         "bond-option-not-in-mode"),
        ("bond-vlan", "miimon: 100", "mimon: 100", f"{AT}[0].link-aggregation.options.mimon", "unknown-field"),
        ("bond-vlan", "miimon: 100", "updelay: 100", f"{AT}[0].link-aggregation.options.updelay",
         "bond-option-incomplete"),
        ("bond-vlan", "lacp_rate: 1", "lacp_rate: 2", f"{AT}[0].link-aggregation.options.lacp_rate", "value-invalid"),
        ("bond-by-mac", "options: {", "options: {miimon: 100, ", f"{AT}[1].link-aggregation.options.arp_interval",
         "bond-options-contradict"),
        ("bond-by-mac", 'primary: "52:54:00:00:00:0a"', "primary: third", f"{AT}[1].link-aggregation.options.primary",
         "primary-not-a-port"),
        # VLANs
        ("bond-vlan", "base-iface: bond0", "base-iface: bond7", f"{AT}[1].vlan.base-iface", "vlan-without-parent"),
        ("bond-vlan", "      vlan: {base-iface: bond0, id: 300}\n", "", f"{AT}[1].name", "section-missing"),
        ("bond-vlan", "id: 300", "id: 4095", f"{AT}[1].vlan.id", "value-invalid"),
        ("bond-vlan", "    - name: bond0.300", "    - {name: again, type: vlan, vlan: {base-iface: bond0, id: 300}}\n"
         "    - name: bond0.300", f"{AT}[2].vlan.id", "vlan-duplicate"),
        ("bond-vlan", "base-iface: bond0", "base-iface: bond0.300", f"{AT}[1].name", "interface-circle"),
        # types and names
        ("bridge", "type: linux-bridge", "type: dummy", f"{AT}[1].bridge", "section-of-another-type"),
        ("bridge", "type: dummy", "type: ovs-bridge", f"{AT}[2].type", "value-invalid"),
        ("bridge", "name: local0", "name: local-with-a-long-name", f"{AT}[2].name", "interface-name-too-long"),
        ("bridge", "name: local0", "name: local/0", f"{AT}[2].name", "interface-name-invalid"),
        ("bridge", "name: local0", "name: dummy0", f"{AT}[2].name", "interface-name-reserved"),
        ("bridge", "mac-address: 52:54:00:00:00:b0", "identifier: mac-address", f"{AT}[1].identifier",
         "identifier-not-a-nic"),
        ("bridge", "{name: nic, ", "{name: br0, ", "hosts[0].interfaces[0].name", "interface-not-a-nic"),
        ("automatic", "speed: 10000, ", "", f"{AT}[0].ethernet", "speed-without-duplex"),
        ("automatic", "auto-dns", "auto-dnss", f"{AT}[0].ipv4.auto-dnss", "unknown-field"),
        ("automatic", "wait-ip: ipv4", "wait-ip: ipv5", f"{AT}[0].wait-ip", "value-invalid"),
        # MACs
        ("bond-by-mac", "52-54-00-00-00-0A", "52:54:00:00:00:01", f"{AT}[0].mac-address", "mac-duplicate"),
        ("bond-by-mac", ", mac-address: 52-54-00-00-00-0A", "", f"{AT}[0].name", "interface-not-listed"),
        # addresses
        ("bond-vlan", "ip: 2001:db8::10", "ip: 192.0.2.11", f"{AT}[1].ipv6.address[0].ip", "ip-family-wrong"),
        ("bond-vlan", "ip: 2001:db8::10, prefix-length: 64", "ip: 2001:db8::10, prefix-length: 48",
         f"{AT}[1].ipv6.address[0].ip", "prefix-contradiction"),
        ("bridge", 'ip: "2001:db8::11"', 'ip: "2001:db8::"', f"{AT}[1].ipv6.address[1].ip", "address-not-a-host"),
        ("bridge", 'ip: "2001:db8::11"', 'ip: "2001:DB8:0::10"', f"{AT}[1].ipv6.address[1].ip", "address-duplicate"),
        ("automatic", "dhcp: true, addr-gen", "dhcp: true, address: [{ip: 2001:db8::1, prefix-length: 64}], addr-gen",
         f"{AT}[0].ipv6", "ipv6-contradiction"),
        # routes and DNS
        ("bridge", 'next-hop-address: "2001:db8::1"', 'next-hop-address: "2001:db9::1"',
         "hosts[0].networkConfig.routes.config[0].next-hop-address", "gateway-off-link"),
        ("bridge", 'next-hop-address: "2001:db8::1"', "next-hop-address: 192.0.2.1",
         "hosts[0].networkConfig.routes.config[0].next-hop-address", "gateway-family-wrong"),
        ("bridge", 'server: ["2001:db8::53"]', "server: [192.0.2.53]",
         "hosts[0].networkConfig.dns-resolver.config.server[0]", "dns-unreachable"),
    ],
)  # fmt: skip
def test_each_broken_network_rule_is_found(
    tmp_path: Path, document: str, old: str, new: str, path: str, code: str
) -> None:
    assert (path, code) in findings(tmp_path, document, old, new)


def test_reserved_names_are_those_that_the_image_leaves_to_pods() -> None:
    (line,) = (line for line in CONF.read_text().splitlines() if line.startswith("unmanaged-devices="))
    patterns = line.removeprefix("unmanaged-devices=").split(";")
    assert patterns == [f"interface-name:{name}*" for name in NAMES_OF_PODS]


def test_all_broken_network_rules_are_found_at_once(tmp_path: Path) -> None:
    """One run reports every mistake, in the order of the file."""
    text = TEXTS["bond-vlan"].replace("port: [eno1, eno2]", "port: []").replace("base-iface: bond0,", "base-iface: x,")
    text = text.replace("next-hop-address: 192.0.2.1,", "next-hop-address: 198.51.100.1,")
    codes = [finding.code for finding in load_network(tmp_path, text).findings]
    assert codes == [
        "interface-not-configured",
        "interface-not-configured",
        "bond-without-ports",
        "vlan-without-parent",
        "gateway-off-link",
    ]


def test_an_unquoted_mac_of_digits_is_a_mac(tmp_path: Path) -> None:
    """YAML 1.1 reads 52:54:00:00:00:01 as a number in base 60."""
    text = TEXTS["bond-by-mac"].replace("52-54-00-00-00-0A", "52:54:00:00:00:02").replace(":0a", ":02")
    inputs = load_network(tmp_path, text).valid_inputs()
    assert inputs.agent.hosts[0].network_config is not None
    assert inputs.agent.hosts[0].network_config.interfaces[0].mac_address == "52:54:00:00:00:02"
