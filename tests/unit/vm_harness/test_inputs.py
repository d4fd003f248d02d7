"""The YAML a lab makes up, and what it reads from anybody's."""

from __future__ import annotations

from ipaddress import IPv4Interface, IPv6Interface
from pathlib import Path

import pytest
import yaml

from agent.model.problems import Problem
from inputs.load import examine
from inputs.write_manifests.create import create
from vm_harness.lab import hosts, inputs, manifests
from vm_harness.lab.hosts import Host
from vm_harness.lab.topologies import TOPOLOGIES, Topology

PUBLIC_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ0lYH4zZ0oWkP2Jm2Rk3y1m8r0Zb0q5d2bq8mJ9Xh3T you@laptop"
USERS = """\
apiVersion: v1beta1
kind: AgentConfig
rendezvousIP: 10.0.0.5
hosts:
  - hostname: alpha
    interfaces:
      - name: lan
        macAddress: 52:54:00:12:34:56
    rootDeviceHints:
      deviceName: /dev/sda
    networkConfig:
      interfaces:
        - name: lan
          type: ethernet
          ipv4: {enabled: true, address: [{ip: 10.0.0.5, prefix-length: 16}]}
      routes:
        config:
          - {destination: 10.9.0.0/16, next-hop-address: 10.0.0.7, next-hop-interface: lan}
          - {destination: 0.0.0.0/0, next-hop-address: 10.0.0.1, next-hop-interface: lan}
  - hostname: beta
    interfaces:
      - {name: lan, macAddress: 52-54}
"""


def test_what_is_made_up_reads_back_as_one_host(tmp_path: Path) -> None:
    inputs.write(tmp_path, TOPOLOGIES["sno"], "ssh-ed25519 AAAA lab")
    assert hosts.read(tmp_path / inputs.AGENT_CONFIG) == (
        Host(
            name="node0",
            macs=("52:54:00:c0:00:01",),
            address=IPv4Interface("192.168.126.10/24"),
            gateway="192.168.126.1",
        ),
    )
    install_config = yaml.safe_load((tmp_path / inputs.INSTALL_CONFIG).read_text())
    assert install_config["sshKey"] == "ssh-ed25519 AAAA lab"
    assert install_config["networking"]["machineNetwork"] == [{"cidr": "192.168.126.0/24"}]


def test_the_last_host_of_compact_is_on_a_vlan_over_two_nics_and_the_api_has_an_address_of_its_own(
    tmp_path: Path,
) -> None:
    inputs.write(tmp_path, TOPOLOGIES["compact"], "ssh-ed25519 AAAA lab")
    *others, last = hosts.read(tmp_path / inputs.AGENT_CONFIG)
    assert [host.vlan for host in others] == [None, None]
    assert (last.vlan, last.address, len(last.macs)) == (100, IPv4Interface("192.168.126.12/24"), 2)
    install_config = yaml.safe_load((tmp_path / inputs.INSTALL_CONFIG).read_text())
    assert install_config["platform"] == {"baremetal": {"apiVIPs": ["192.168.126.5"]}}


def test_a_host_of_sno6_has_addresses_of_ipv6_only(tmp_path: Path) -> None:
    inputs.write(tmp_path, TOPOLOGIES["sno6"], "ssh-ed25519 AAAA lab")
    (host,) = hosts.read(tmp_path / inputs.AGENT_CONFIG)
    assert host.address == IPv6Interface("fd2e:6f44:5dd8:c956::a/64")
    assert host.gateway == "fd2e:6f44:5dd8:c956::1"


@pytest.mark.parametrize("topology", TOPOLOGIES.values(), ids=TOPOLOGIES)
def test_what_is_made_up_is_valid(topology: Topology, tmp_path: Path) -> None:
    inputs.write(tmp_path, topology, PUBLIC_KEY)
    assert examine(tmp_path).findings == ()


def test_a_users_hosts_are_read_with_macs_that_yaml_takes_for_numbers(tmp_path: Path) -> None:
    path = tmp_path / "agent-config.yaml"
    path.write_text(USERS)
    alpha, beta = hosts.read(path)
    assert alpha.macs == ("52:54:00:12:34:56",)
    assert (alpha.address, alpha.gateway) == (IPv4Interface("10.0.0.5/16"), "10.0.0.1")
    assert alpha.root_disk == "/dev/sda"
    assert beta == Host(name="beta", macs=("52-54",))


@pytest.mark.parametrize("topology", TOPOLOGIES.values(), ids=TOPOLOGIES)
def test_manifests_ask_for_the_same_machines(topology: Topology, tmp_path: Path) -> None:
    inputs.write(tmp_path, topology, PUBLIC_KEY)
    create(tmp_path, force=False)
    from_files = hosts.read(tmp_path / inputs.AGENT_CONFIG)
    for name in (inputs.INSTALL_CONFIG, inputs.AGENT_CONFIG):
        (tmp_path / name).unlink()
    assert inputs.are_present(tmp_path)
    assert inputs.read(tmp_path) == from_files


def test_upstreams_manifests_have_no_settings_of_ours(tmp_path: Path) -> None:
    inputs.write(tmp_path, TOPOLOGIES["compact"], PUBLIC_KEY)
    create(tmp_path, force=False)
    (tmp_path / manifests.DIRECTORY / manifests.SETTINGS).unlink()
    found = hosts.read_manifests(tmp_path)
    assert [host.name for host in found] == ["host0", "host1", "host2"]
    assert [host.macs for host in found] == [host.macs for host in hosts.read(tmp_path / inputs.AGENT_CONFIG)]


@pytest.mark.parametrize("text", ["metadata: [", "kind: NMStateConfig\n"])
def test_unusable_manifests_are_refused_by_directory(text: str, tmp_path: Path) -> None:
    (tmp_path / manifests.DIRECTORY).mkdir()
    (tmp_path / manifests.DIRECTORY / manifests.NETWORKS).write_text(text)
    with pytest.raises(Problem, match=r"cluster-manifests") as refused:
        hosts.read_manifests(tmp_path)
    assert refused.value.code == "inputs-unreadable"


def test_half_of_the_inputs_is_somebodys_work(tmp_path: Path) -> None:
    (tmp_path / inputs.AGENT_CONFIG).write_text("hosts: []\n")
    with pytest.raises(Problem, match=r"has agent-config.yaml, but no install-config.yaml"):
        inputs.write(tmp_path, TOPOLOGIES["sno"], "key")
    assert (tmp_path / inputs.AGENT_CONFIG).read_text() == "hosts: []\n"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("hosts: []", "inputs-without-hosts"),
        ("hosts: [{interfaces: [{name: lan}]}]", "inputs-unreadable"),
        ("hosts: [", "inputs-unreadable"),
    ],
)
def test_unusable_inputs_are_refused_by_file(text: str, code: str, tmp_path: Path) -> None:
    path = tmp_path / "agent-config.yaml"
    path.write_text(text)
    with pytest.raises(Problem, match=r"agent-config\.yaml") as refused:
        hosts.read(path)
    assert refused.value.code == code
