"""Rules: values are consistent with each other."""

from __future__ import annotations

import pytest

from inputs.document.findings import FindingSeverity
from tests.unit.inputs.conftest import Edits, LoadEdited

SECOND = """  - hostname: {name}
    role: {role}
    interfaces: [{{name: eth0, macAddress: "{mac}"}}]
    networkConfig:
      interfaces: [{{name: eth0, type: ethernet, ipv4: {{enabled: true, address: [{{ip: {ip}, prefix-length: 24}}]}}}}]
      routes: {{config: [{{destination: 0.0.0.0/0, next-hop-address: 192.0.2.1, next-hop-interface: eth0}}]}}
"""
END = "          server: [192.0.2.1]\n"
TWO = {"replicas: 0 ": "replicas: 1 "}


def with_second(
    *, name: str = "beta", role: str = "worker", mac: str = "52:54:00:00:00:02", ip: str = "192.0.2.11"
) -> Edits:
    return {END: END + SECOND.format(name=name, role=role, mac=mac, ip=ip)}


def test_two_valid_hosts_break_no_input_rule(load_edited: LoadEdited) -> None:
    assert load_edited(install=TWO, agent=with_second()).findings == ()


@pytest.mark.parametrize(
    ("install", "agent", "path", "code"),
    [
        # rendezvous
        ({}, {"rendezvousIP: 192.0.2.10": "rendezvousIP: 192.0.2.11"}, "rendezvousIP", "rendezvous-on-no-host"),
        ({}, {"rendezvousIP: 192.0.2.10": "rendezvousIP: 192.0.2.1"}, "rendezvousIP", "rendezvous-on-no-host"),
        ({}, {"rendezvousIP: 192.0.2.10": "rendezvousIP: 203.0.113.1"}, "rendezvousIP",
         "rendezvous-outside-machine-network"),
        (TWO, {**with_second(), "rendezvousIP: 192.0.2.10": "rendezvousIP: 192.0.2.11"}, "rendezvousIP",
         "rendezvous-on-worker"),
        # duplicates
        (TWO, with_second(mac="52:54:00:00:00:01"), "hosts[1].interfaces[0].macAddress", "mac-duplicate"),
        (TWO, with_second(ip="192.0.2.10"), "hosts[1].networkConfig.interfaces[0].ipv4.address[0].ip",
         "address-duplicate"),
        (TWO, with_second(name="alpha"), "hosts[1].hostname", "hostname-duplicate"),
        # interfaces
        ({}, {"        - name: eth0": "        - name: eth1"}, "hosts[0].networkConfig.interfaces[0].name",
         "interface-not-listed"),
        ({}, {"type: ethernet": "mac-address: 52:54:00:00:00:09\n          type: ethernet"},
         "hosts[0].networkConfig.interfaces[0].mac-address", "mac-contradiction"),
        # addresses
        ({"cidr: 192.0.2.0/24": "cidr: 192.0.2.0/25"}, {}, "hosts[0].networkConfig.interfaces[0].ipv4.address[0].ip",
         "prefix-contradiction"),
        ({"cidr: 192.0.2.0/24": "cidr: 198.51.100.0/24"}, {},
         "hosts[0].networkConfig.interfaces[0].ipv4.address[0].ip", "address-outside-machine-network"),
        ({}, {"192.0.2.10": "192.0.2.255"}, "hosts[0].networkConfig.interfaces[0].ipv4.address[0].ip",
         "address-not-a-host"),
        ({}, {"enabled: true": "enabled: false"}, "hosts[0].networkConfig.interfaces[0].ipv4", "ipv4-not-enabled"),
        ({}, {"dhcp: false": "dhcp: true"}, "hosts[0].networkConfig.interfaces[0].ipv4", "ipv4-contradiction"),
        ({}, {"ip: 192.0.2.10": "ip: 2001:db8::1"}, "hosts[0].networkConfig.interfaces[0].ipv4.address[0].ip",
         "ip-family-wrong"),
        ({}, {"prefix-length: 24": "prefix-length: 64"},
         "hosts[0].networkConfig.interfaces[0].ipv4.address[0].prefix-length", "prefix-length-invalid"),
        # routes
        ({}, {"next-hop-address: 192.0.2.1": "next-hop-address: 192.0.3.1"},
         "hosts[0].networkConfig.routes.config[0].next-hop-address", "gateway-off-link"),
        ({}, {"next-hop-address: 192.0.2.1": "next-hop-address: 192.0.2.10"},
         "hosts[0].networkConfig.routes.config[0].next-hop-address", "gateway-is-host"),
        ({}, {"next-hop-interface: eth0": "next-hop-interface: eth7"},
         "hosts[0].networkConfig.routes.config[0].next-hop-interface", "route-interface-unknown"),
        ({}, {"destination: 0.0.0.0/0": "destination: 10.0.0.0/8"}, "hosts[0].networkConfig", "default-route-missing"),
        # counts
        ({"replicas: 1 ": "replicas: 2 "}, {}, "controlPlane.replicas", "replicas-invalid"),
        ({"replicas: 1 ": "replicas: 3 "}, {}, "hosts", "hosts-too-few"),
        (TWO, {}, "hosts", "hosts-too-few"),
        ({}, with_second(), "hosts[1].role", "hosts-too-many"),
        ({}, with_second(role="master"), "hosts[1].role", "hosts-too-many"),
        ({}, {**with_second(role="''"), "role: master ": "role: '' "}, "hosts", "hosts-too-many"),
        # networks
        ({"cidr: 10.128.0.0/14": "cidr: 192.0.0.0/14"}, {}, "networking.clusterNetwork[0].cidr", "networks-overlap"),
        ({"172.30.0.0/16": "10.128.0.0/16"}, {}, "networking.serviceNetwork[0]", "networks-overlap"),
        ({"hostPrefix: 23": "hostPrefix: 13"}, {}, "networking.clusterNetwork[0].hostPrefix", "host-prefix-invalid"),
        ({"hostPrefix: 23": "hostPrefix: 31"}, {}, "networking.clusterNetwork[0].hostPrefix", "host-prefix-invalid"),
        ({"hostPrefix: 23": "hostPrefix: 14", **TWO}, with_second(), "networking.clusterNetwork[0].hostPrefix",
         "pod-network-too-small"),
    ],
)  # fmt: skip
def test_each_broken_input_rule_is_found(
    load_edited: LoadEdited, install: Edits, agent: Edits, path: str, code: str
) -> None:
    loaded = load_edited(install=install, agent=agent)
    assert (path, code) in [(finding.path, finding.code) for finding in loaded.findings]
    assert loaded.inputs is None
    assert all(finding.remedy and finding.line for finding in loaded.findings)


def test_a_gateway_that_contains_the_rendezvous_address_as_text_is_fine(load_edited: LoadEdited) -> None:
    """192.0.2.1 is a part of the text 192.0.2.10."""
    assert load_edited(agent={"next-hop-address: 192.0.2.1": "next-hop-address: 192.0.2.101"}).findings == ()


def test_macs_are_compared_whatever_their_case(load_edited: LoadEdited) -> None:
    second = with_second(mac="52:54:00:AB:00:01")
    loaded = load_edited(install=TWO, agent={"52:54:00:00:00:01": "52:54:00:ab:00:01", **second})
    assert [finding.code for finding in loaded.findings] == ["mac-duplicate"]


def test_input_rules_compare_defaults_of_unset_fields(load_edited: LoadEdited) -> None:
    default = "  serviceNetwork:                 # addresses of services\n    - 172.30.0.0/16\n"
    loaded = load_edited(install={default: "", "192.0.2.0/24": "172.30.2.0/24"}, agent={"192.0.2.": "172.30.2."})
    assert [(finding.code, finding.path) for finding in loaded.findings] == [
        ("networks-overlap", "networking.machineNetwork[0].cidr")
    ]


def test_a_listed_nic_without_settings_is_a_warning(load_edited: LoadEdited) -> None:
    extra = "52:54:00:00:00:01\n      - {name: eth1, macAddress: 52:54:00:00:00:02}"
    loaded = load_edited(agent={"52:54:00:00:00:01": extra})
    assert [(finding.code, finding.severity) for finding in loaded.findings] == [
        ("interface-not-configured", FindingSeverity.WARNING)
    ]
    assert loaded.inputs is not None


def test_a_mistake_gives_one_finding(load_edited: LoadEdited) -> None:
    """A wrong address is one finding, not also a rendezvous address on no host."""
    loaded = load_edited(agent={"ip: 192.0.2.10": "ip: 192.0.2.999"})
    assert [finding.code for finding in loaded.findings] == ["ip-invalid"]


def test_dhcp_may_give_the_rendezvous_address(load_edited: LoadEdited) -> None:
    edits = {"dhcp: false": "dhcp: true", "            address:\n": "", "              - ip: 192.0.2.10\n": "",
             "                prefix-length: 24\n": ""}  # fmt: skip
    assert load_edited(agent=edits).findings == ()
