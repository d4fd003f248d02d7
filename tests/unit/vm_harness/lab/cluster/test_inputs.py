"""The cluster's inputs as the lab reads them, and those it makes up for a topology."""

from __future__ import annotations

from ipaddress import IPv4Interface, IPv6Interface
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from agent.model.intent import RootDeviceHints
from agent.model.problems import Problem
from cli.exit_codes import ExitCode
from cli.main import main
from inputs import manifests
from inputs.document.findings import ConfigurationError
from inputs.load import AGENT_CONFIG, INSTALL_CONFIG, load_inputs
from inputs.manifests.kinds import SETTINGS
from inputs.write_manifests.create import create
from vm_harness.lab import directories
from vm_harness.lab.cluster import hosts, inputs, made_up
from vm_harness.lab.cluster.hosts import LabHost
from vm_harness.lab.cluster.topologies import TOPOLOGIES, Topology

PUBLIC_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ0lYH4zZ0oWkP2Jm2Rk3y1m8r0Zb0q5d2bq8mJ9Xh3T you@laptop"
CLUSTER = """\
apiVersion: v1
baseDomain: example.com
metadata: {name: demo}
controlPlane: {replicas: 1}
compute: [{replicas: 1}]
networking: {machineNetwork: [{cidr: 192.0.2.0/24}]}
platform: {none: {}}
"""
HOSTS = """\
apiVersion: v1beta1
kind: AgentConfig
rendezvousIP: 192.0.2.5
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
          ipv4: {enabled: true, address: [{ip: 192.0.2.5, prefix-length: 24}]}
      routes:
        config:
          - {destination: 198.51.100.0/24, next-hop-address: 192.0.2.7, next-hop-interface: lan}
          - {destination: 0.0.0.0/0, next-hop-address: 192.0.2.1, next-hop-interface: lan}
  - hostname: beta
    interfaces:
      - {name: lan, macAddress: 52:54:00:AB:CD:EF}
"""


def write(directory: Path, *, hosts: str = HOSTS) -> Path:
    (directory / INSTALL_CONFIG).write_text(CLUSTER)
    (directory / AGENT_CONFIG).write_text(hosts)
    return directory


def machines(directory: Path) -> tuple[LabHost, ...]:
    return hosts.of_intent(inputs.read(directory))


@pytest.mark.parametrize(("name", "timeout"), [("sno", None), ("pair", None), ("compact", "10000"), ("ha5", "10000")])
def test_only_an_etcd_of_several_members_gets_a_long_election_timeout(name: str, timeout: str | None) -> None:
    etcd = made_up.install_config(TOPOLOGIES[name], PUBLIC_KEY)["kubernetes"]["clusterConfiguration"].get("etcd", {})
    assert etcd.get("local", {}).get("extraArgs", {}).get("election-timeout") == timeout


def test_made_up_inputs_describe_one_host(tmp_path: Path) -> None:
    made_up.write(tmp_path, TOPOLOGIES["sno"], PUBLIC_KEY)
    assert machines(tmp_path) == (
        LabHost(
            name="node0",
            macs=("52:54:00:c0:00:01",),
            address=IPv4Interface("192.168.126.10/24"),
            gateway="192.168.126.1",
        ),
    )
    assert inputs.read(tmp_path).ssh_keys == (PUBLIC_KEY,)
    assert inputs.read(tmp_path).machine_networks == ("192.168.126.0/24",)


def test_made_up_inputs_fit_a_machine_whose_disk_has_any_name_and_that_may_not_write_conntrack(tmp_path: Path) -> None:
    made_up.write(tmp_path, TOPOLOGIES["sno"], PUBLIC_KEY)
    intent = inputs.read(tmp_path)
    assert [host.root_device_hints for host in intent.hosts] == [RootDeviceHints()]
    assert intent.kubeadm.kube_proxy_configuration == {"conntrack": {"maxPerCore": 0, "min": 0}}


def test_the_last_host_of_compact_is_on_a_vlan_over_two_nics_and_the_api_has_an_address_of_its_own(
    tmp_path: Path,
) -> None:
    made_up.write(tmp_path, TOPOLOGIES["compact"], PUBLIC_KEY)
    *others, last = machines(tmp_path)
    assert [host.vlan for host in others] == [None, None]
    assert (last.vlan, last.address, len(last.macs)) == (100, IPv4Interface("192.168.126.12/24"), 2)
    assert inputs.read(tmp_path).api_address == "192.168.126.5"


def test_a_host_of_sno6_has_ipv6_addresses_only(tmp_path: Path) -> None:
    made_up.write(tmp_path, TOPOLOGIES["sno6"], PUBLIC_KEY)
    (host,) = machines(tmp_path)
    assert host.address == IPv6Interface("fd2e:6f44:5dd8:c956::a/64")
    assert host.gateway == "fd2e:6f44:5dd8:c956::1"


@pytest.mark.parametrize("topology", TOPOLOGIES.values(), ids=TOPOLOGIES)
def test_made_up_inputs_are_valid(topology: Topology, tmp_path: Path) -> None:
    made_up.write(tmp_path, topology, PUBLIC_KEY)
    assert load_inputs(tmp_path).findings == ()


@pytest.mark.parametrize("topology", TOPOLOGIES.values(), ids=TOPOLOGIES)
def test_without_inputs_the_machines_are_the_same_but_have_no_known_address(topology: Topology, tmp_path: Path) -> None:
    made_up.write(tmp_path, topology, PUBLIC_KEY)
    described = [(host.name, host.macs, host.vlan) for host in machines(tmp_path)]
    without = made_up.hosts(topology)
    assert [(host.name, host.macs, host.vlan) for host in without] == described
    assert {(host.address, host.gateway) for host in without} == {(None, "")}


def test_made_up_inputs_never_replace_a_file(tmp_path: Path) -> None:
    (tmp_path / AGENT_CONFIG).write_text("hosts: []\n")
    with pytest.raises(FileExistsError):
        made_up.write(tmp_path, TOPOLOGIES["sno"], PUBLIC_KEY)
    assert (tmp_path / AGENT_CONFIG).read_text() == "hosts: []\n"


def test_a_users_hosts_are_read_with_macs_that_yaml_takes_for_numbers(tmp_path: Path) -> None:
    alpha, beta = machines(write(tmp_path))
    assert alpha.macs == ("52:54:00:12:34:56",)
    assert (alpha.address, alpha.gateway) == (IPv4Interface("192.0.2.5/24"), "192.0.2.1")
    assert alpha.root_disk == "/dev/sda"
    assert beta == LabHost(name="beta", macs=("52:54:00:ab:cd:ef",))


@pytest.mark.parametrize("topology", TOPOLOGIES.values(), ids=TOPOLOGIES)
def test_manifests_describe_the_same_machines(topology: Topology, tmp_path: Path) -> None:
    made_up.write(tmp_path, topology, PUBLIC_KEY)
    create(tmp_path, force=False)
    from_files = machines(tmp_path)
    for name in inputs.CLUSTER_FILES:
        (tmp_path / name).unlink()
    assert inputs.are_present(tmp_path)
    assert machines(tmp_path) == from_files


def test_hosts_of_manifests_without_our_settings_are_named_after_their_role(tmp_path: Path) -> None:
    made_up.write(tmp_path, TOPOLOGIES["compact"], PUBLIC_KEY)
    create(tmp_path, force=False)
    from_files = machines(tmp_path)
    for name in (*inputs.CLUSTER_FILES, f"{manifests.DIRECTORY}/{SETTINGS.file}"):
        (tmp_path / name).unlink()
    found = machines(tmp_path)
    assert [host.name for host in found] == ["master-0", "master-1", "master-2"]
    assert [host.macs for host in found] == [host.macs for host in from_files]


@pytest.mark.parametrize(
    ("hosts", "path"),
    [("hosts: [{interfaces: [{name: lan}]}]", "hosts[0].interfaces[0].macAddress"), ("hosts: [", "")],
)
def test_wrong_inputs_are_refused_with_the_findings_of_create_image(hosts: str, path: str, tmp_path: Path) -> None:
    write(tmp_path, hosts=hosts)
    with pytest.raises(ConfigurationError) as refused:
        inputs.read(tmp_path)
    assert refused.value.findings == load_inputs(tmp_path).findings
    assert path in {finding.path for finding in refused.value.findings if finding.file.endswith(AGENT_CONFIG)}


def test_inputs_without_hosts_are_refused(tmp_path: Path) -> None:
    write(tmp_path, hosts="apiVersion: v1beta1\nrendezvousIP: 192.0.2.5\n")
    with pytest.raises(Problem, match="list no hosts") as refused:
        inputs.read(tmp_path)
    assert refused.value.code == "inputs-without-hosts"


def test_lab_up_refuses_half_of_the_inputs_as_create_image_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(directories, "RUNTIME", tmp_path / "run")
    site = tmp_path / "site"
    site.mkdir()
    (site / AGENT_CONFIG).write_text(HOSTS)
    lab, image = (
        CliRunner().invoke(main, [*command, "--dir", str(site)]) for command in (("lab", "up"), ("create", "image"))
    )
    assert lab.exit_code == image.exit_code == ExitCode.CONFIGURATION
    assert lab.stderr == image.stderr
    assert INSTALL_CONFIG in lab.stderr


def test_made_up_files_keep_the_ssh_key_on_one_line(tmp_path: Path) -> None:
    made_up.write(tmp_path, TOPOLOGIES["sno"], PUBLIC_KEY)
    text = (tmp_path / INSTALL_CONFIG).read_text()
    assert f"sshKey: {PUBLIC_KEY}\n" in text
    assert yaml.safe_load(text)["sshKey"] == PUBLIC_KEY
