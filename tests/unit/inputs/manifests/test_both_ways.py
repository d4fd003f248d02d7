"""The two files, and the manifests made from them, mean the same."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from textwrap import indent

import pytest

from agent.model.intent import ClusterIntent
from image_build.credentials.certificates import Authority
from inputs.cluster_intent import cluster_intent
from inputs.load import AGENT_CONFIG, INSTALL_CONFIG, load_input_files, load_inputs, load_manifests
from inputs.manifests import DIRECTORY
from inputs.samples import TOPOLOGIES, write_samples
from inputs.write_manifests.create import create, write_manifests
from inputs.write_manifests.write import manifests
from tests.bench.measurements.many_hosts import write_many_hosts
from tests.unit.inputs.test_conformance import CASES, DEVIATIONS, EXPECTED, NOT_INPUTS

EVERYTHING = {
    INSTALL_CONFIG: """\
apiVersion: v1
metadata: {name: everything}
baseDomain: example.com
controlPlane: {name: master, replicas: 3, architecture: amd64}
compute: [{name: worker, replicas: 1}]
networking:
  clusterNetwork: [{cidr: 10.200.0.0/14, hostPrefix: 24}]
  serviceNetwork: [172.31.0.0/16]
  machineNetwork: [{cidr: 192.0.2.0/24}]
  networkType: flannel
platform:
  baremetal:
    apiVIPs: [192.0.2.5]
    ingressVIPs: [192.0.2.6]
    loadBalancer: {type: UserManaged}
sshKey: |
  ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f one
  ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4g two
proxy: {httpProxy: "http://user:secret%20word@192.0.2.9:3128", noProxy: "internal.example.com"}
imageDigestSources: [{source: registry.example.com/team, mirrors: [mirror.example.com/team]}]
additionalTrustBundlePolicy: Always
pullSecret: '{"auths": {"registry.example.com": {"auth": "dXNlcjpwYXNz"}}}'
kubernetes:
  version: 1.33.2
  clusterConfiguration: {apiServer: {extraArgs: {audit-log-maxage: "7"}}}
  kubeletConfiguration: {maxPods: 200, evictionHard: null}
  kubeProxyConfiguration: {conntrack: {maxPerCore: 0, min: 0}}
""",
    AGENT_CONFIG: """\
apiVersion: v1alpha1
kind: AgentConfig
metadata: {name: everything}
rendezvousIP: 192.0.2.11
additionalNTPSources: [192.0.2.1, ntp.example.com]
kernelArguments: [intel_iommu=on, "1e3"]
tokenLifetimeDays: 3
serviceLifetimeMinutes: 30
hosts:
  - hostname: zero
    role: master
    interfaces: [{name: eth0, macAddress: 52-54-00-00-00-01}]
    consentToWipe: true
    nodeLabels: {rack: "01", example.com/on: "yes"}
    networkConfig: |
      interfaces:
        - {name: eth0, type: ethernet, state: up, ipv4: {enabled: true, address: [{ip: 192.0.2.10, prefix-length: 24}]}}
      routes: {config: [{destination: 0.0.0.0/0, next-hop-address: 192.0.2.1, next-hop-interface: eth0}]}
  - hostname: one
    interfaces: [{name: eth0, macAddress: "52:54:00:00:00:02"}, {name: eth1, macAddress: "52:54:00:00:01:02"}]
    rootDeviceHints: {minSizeGigabytes: 100, rotational: false, vendor: "0123"}
    kernelArguments: [nosmt]
    ignitionConfigOverride: '{"ignition": {"version": "3.3.0"}}'
    nodeTaints: [{key: gpu, effect: NoSchedule}]
    networkConfig:
      interfaces:
        - name: bond0
          type: bond
          state: up
          ipv4: {enabled: true, address: [{ip: 192.0.2.11, prefix-length: 24}]}
          link-aggregation: {mode: active-backup, port: [eth0, eth1], options: {miimon: 100}}
      routes: {config: [{destination: 0.0.0.0/0, next-hop-address: 192.0.2.1, next-hop-interface: bond0}]}
      dns-resolver: {config: {server: [192.0.2.1], search: [example.com]}}
  - {hostname: two, role: master, interfaces: [{name: eth0, macAddress: "52:54:00:00:00:03"}]}
  - {hostname: three, role: worker, interfaces: [{name: eth0, macAddress: "52:54:00:00:00:04"}]}
""",
}


def intent(directory: Path) -> ClusterIntent:
    inputs = load_inputs(directory).valid_inputs()
    return cluster_intent(inputs, cluster_id="c", infra_env_id="i", created_at="2026-01-02T03:04:05Z")


def without_the_files(directory: Path) -> None:
    for name in (INSTALL_CONFIG, AGENT_CONFIG):
        (directory / name).unlink()


@pytest.mark.parametrize("topology", TOPOLOGIES)
def test_samples_and_their_manifests_give_the_same_intent(topology: str, tmp_path: Path) -> None:
    write_samples(topology, tmp_path)
    before = intent(tmp_path)
    create(tmp_path, force=False)
    assert load_inputs(tmp_path).findings == (), "files and manifests agree"
    without_the_files(tmp_path)
    assert intent(tmp_path) == before
    assert load_inputs(tmp_path).findings == ()


def test_every_field_survives_the_way_through_manifests(tmp_path: Path) -> None:
    for name, content in EVERYTHING.items():
        (tmp_path / name).write_text(content)
    with (tmp_path / INSTALL_CONFIG).open("a") as file:
        file.write(
            "additionalTrustBundle: |\n" + indent(Authority.make("ours", datetime.now(UTC)).pair().certificate, "  ")
        )
    files = load_inputs(tmp_path).valid_inputs()
    before = intent(tmp_path)
    create(tmp_path, force=False)
    without_the_files(tmp_path)
    from_manifests = load_inputs(tmp_path).valid_inputs()
    assert intent(tmp_path) == before
    for field in ("proxy", "kubernetes", "image_digest_sources", "additional_trust_bundle", "networking", "platform"):
        assert getattr(from_manifests.install, field) == getattr(files.install, field)
    assert from_manifests.agent.hosts == files.agent.hosts
    assert json.loads(from_manifests.install.pull_secret) == json.loads(files.install.pull_secret)


def test_manifests_of_manifests_are_the_same(site: Path) -> None:
    """The written manifests are the same, whether they come from the two files or from manifests."""
    texts = {path.name: path.read_text() for path in (site / DIRECTORY).iterdir()}
    assert manifests(load_manifests(site).valid_inputs()) == texts


RIGHT = [name for name in CASES if not {name} & (EXPECTED.keys() | DEVIATIONS.keys() | NOT_INPUTS.keys())]
WHOLE = [name for name in RIGHT if CASES[name].get("install_config") and CASES[name].get("agent_config")]


@pytest.mark.parametrize("name", WHOLE)
def test_upstreams_test_cases_give_the_same_intent_through_manifests(name: str, tmp_path: Path) -> None:
    """Every valid case that has both files; `create` reads the manifests back after it has written them."""
    (tmp_path / INSTALL_CONFIG).write_text(CASES[name]["install_config"])
    (tmp_path / AGENT_CONFIG).write_text(CASES[name]["agent_config"])
    assert load_input_files(tmp_path).inputs is not None
    create(tmp_path, force=False)
    assert load_inputs(tmp_path).inputs is not None
    without_the_files(tmp_path)
    assert load_inputs(tmp_path).inputs is not None


def test_five_hundred_hosts_survive_the_way_through_manifests(tmp_path: Path) -> None:
    write_many_hosts(tmp_path)
    write_manifests(tmp_path, manifests(load_inputs(tmp_path).valid_inputs()), force=False)
    without_the_files(tmp_path)
    assert len(load_inputs(tmp_path).valid_inputs().agent.hosts) == 500
