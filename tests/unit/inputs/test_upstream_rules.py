"""Upstream's rules and our own, one case each: the smallest change that makes a valid site invalid."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from inputs.document.findings import FindingSeverity
from inputs.document.yaml_reader import parse
from inputs.load import AGENT_CONFIG, INSTALL_CONFIG, LoadResult, load_inputs
from inputs.samples import write_samples
from tests.unit.inputs.changes import Changes, changed

NIC = "hosts.0.networkConfig.interfaces.0"
WORKER_NIC = "hosts.3.networkConfig.interfaces.0"
PODS = "networking.clusterNetwork.0"
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ0lYH4zZ0oWkP2Jm2Rk3y1m8r0Zb0q5d2bq8mJ9Xh3T you@laptop"
BLOCK = {"cidr": "10.128.0.0/14", "hostPrefix": 23}
SIX = {"cidr": "fd01::/48", "hostPrefix": 64}
IGNITION = '{"ignition": {"version": "3.3.0"}'


def _file(path: str, source: str) -> str:
    """An Ignition config with one file."""
    return f'{IGNITION}, "storage": {{"files": [{{"path": "{path}", "contents": {{"source": "{source}"}}}}]}}}}'


def site(directory: Path, install: Changes, agent: Changes) -> LoadResult:
    """Three control planes and two workers, with these changes: path with dots → value, None to remove."""
    write_samples("ha", directory)
    for name, changes in ((INSTALL_CONFIG, install), (AGENT_CONFIG, agent)):
        path = directory / name
        path.write_text(yaml.safe_dump(changed(parse(path.read_text()).root.plain(), changes), sort_keys=False))
    return load_inputs(directory)


INSTALL_RULES: list[tuple[Changes, str, str]] = [
    # sizes
    ({"controlPlane.replicas": 2}, "controlPlane.replicas", "replicas-invalid"),
    ({"controlPlane.replicas": 6}, "controlPlane.replicas", "replicas-invalid"),
    ({"compute.0.replicas": 1}, "hosts[4].role", "hosts-too-many"),
    ({"compute.0.replicas": 3}, "hosts", "hosts-too-few"),
    ({"compute.0.name": "edge"}, "compute[0].name", "value-invalid"),
    ({"controlPlane.name": "worker"}, "controlPlane.name", "value-invalid"),
    ({"controlPlane.architecture": "riscv"}, "controlPlane.architecture", "value-invalid"),
    ({"controlPlane.architecture": "arm64"}, "controlPlane.architecture", "not-supported-yet"),
    ({"controlPlane.fencing": {"credentials": []}}, "controlPlane.fencing", "openshift-only"),
    ({"arbiter": {"replicas": 1}}, "arbiter", "openshift-only"),
    ({"compute.0.diskSetup": [{"type": "swap"}]}, "compute[0].diskSetup", "openshift-only"),
    ({"osImageStream": "rhel-9"}, "osImageStream", "field-ignored"),
    # platform and virtual addresses
    ({"platform": {}}, "platform", "platform-unclear"),
    ({"platform.none": {}}, "platform", "platform-unclear"),
    ({"platform.baremetal": None, "platform.aws": {}}, "platform.aws", "openshift-only"),
    ({"platform.baremetal.apiVIPs": None}, "platform.baremetal.apiVIPs", "field-missing"),
    ({"platform.baremetal.apiVIPs": ["x"]}, "platform.baremetal.apiVIPs[0]", "ip-invalid"),
    ({"platform.baremetal.apiVIPs": ["198.51.100.5"]}, "platform.baremetal.apiVIPs[0]", "vip-outside-machine-network"),
    ({"platform.baremetal.apiVIPs": ["192.0.2.255"]}, "platform.baremetal.apiVIPs[0]", "vip-not-usable"),
    ({"platform.baremetal.apiVIPs": ["192.0.2.10"]}, "platform.baremetal.apiVIPs[0]", "vip-in-use"),
    ({"platform.baremetal.apiVIPs": ["192.0.2.14"]}, "platform.baremetal.apiVIPs[0]", "vip-in-use"),
    ({"platform.baremetal.apiVIPs": ["192.0.2.1"]}, "platform.baremetal.apiVIPs[0]", "vip-in-use"),
    ({"platform.baremetal.ingressVIPs": ["192.0.2.5"]}, "platform.baremetal.apiVIPs[0]", "vip-twice"),
    ({"platform.baremetal.apiVIPs": ["192.0.2.5", "192.0.2.6"]}, "platform.baremetal.apiVIPs[1]", "vip-family-wrong"),
    ({"imageDigestSources": [{"source": "quay.io/a", "mirrors": ["m.example.com/b"]}]},
     "imageDigestSources[0].mirrors[0]", "mirror-left-out"),
    ({"imageDigestSources": [{"source": "quay.io/a", "sourcePolicy": "NeverContactSource"}, {"source": "quay.io/b"}]},
     "imageDigestSources[1].source", "mirror-policies-differ"),
    ({"platform.baremetal.apiVIPs": ["2001:db8::5"]}, "platform.baremetal.apiVIPs[0]", "vip-family-wrong"),
    ({"platform.baremetal.loadBalancer.type": "UserManaged", "platform.baremetal.apiVIPs": ["172.30.0.5"]},
     "platform.baremetal.apiVIPs[0]", "address-in-cluster-network"),
    ({"platform.baremetal.hosts": [{"name": "a"}]}, "platform.baremetal.hosts", "hosts-ignored"),
    ({"platform.baremetal.additionalNTPServers": ["192.0.2.1"]}, "platform.baremetal.additionalNTPServers",
     "field-refused"),
    ({"platform.baremetal.provisioningNetwork": "Disabled"}, "platform.baremetal.provisioningNetwork", "field-ignored"),
    # networks
    ({"networking.machineNetwork.0.cidr": "10.0.0.0/8"}, "networking.clusterNetwork[0].cidr", "networks-overlap"),
    ({"networking.serviceNetwork": ["10.128.0.0/16"]}, "networking.serviceNetwork[0]", "networks-overlap"),
    ({f"{PODS}.hostPrefix": 13}, "networking.clusterNetwork[0].hostPrefix", "host-prefix-invalid"),
    ({f"{PODS}.hostPrefix": 31}, "networking.clusterNetwork[0].hostPrefix", "host-prefix-invalid"),
    ({f"{PODS}.hostPrefix": 16}, "networking.clusterNetwork[0].hostPrefix", "pod-network-too-small"),
    ({"networking.clusterNetwork": [SIX]}, "networking.serviceNetwork[0]", "network-families-differ"),
    ({"networking.clusterNetwork": [SIX], "networking.serviceNetwork": ["fd02::/112"]}, "networking",
     "network-families-differ"),
    ({"networking.clusterNetwork": [BLOCK, {**BLOCK, "cidr": "10.96.0.0/14"}]}, "networking.clusterNetwork[1]",
     "network-family-twice"),
    ({"networking.clusterNetwork": [BLOCK, SIX], "networking.serviceNetwork": ["172.30.0.0/16", "fd02::/112"]},
     "networking.clusterNetwork[1]", "not-supported-yet"),
    ({"networking.serviceNetwork": ["172.32.0.0/11"]}, "networking.serviceNetwork[0]", "service-network-size"),
    ({"networking.serviceNetwork": ["172.30.0.0/30"]}, "networking.serviceNetwork[0]", "service-network-size"),
    ({"networking.serviceNetwork": ["224.0.0.0/16"]}, "networking.serviceNetwork[0]", "network-not-usable"),
    ({f"{PODS}.cidr": "169.254.0.0/16"}, "networking.clusterNetwork[0].cidr", "network-not-usable"),
    ({"networking.machineNetwork": [{"cidr": "127.0.0.0/8"}]}, "networking.machineNetwork[0].cidr",
     "network-not-usable"),
    ({"networking.machineCIDR": "192.0.2.0/24"}, "networking.machineCIDR", "field-refused"),
    ({"networking.networkType": "OVNKubernetes"}, "networking.networkType", "field-ignored"),
    ({"networking.networkType": "Calico", "kubernetes.networkPlugin": "flannel"}, "networking.networkType",
     "network-plugin-contradiction"),
    # images, certificates, proxy
    ({"imageDigestSources": [{"source": "a"}], "imageContentSources": [{"source": "a"}]}, "imageContentSources",
     "mirrors-twice"),
    ({"imageDigestSources": [{"mirrors": ["b"]}]}, "imageDigestSources[0].source", "field-missing"),
    ({"additionalTrustBundle": "x"}, "additionalTrustBundle", "certificate-invalid"),
    ({"proxy.httpProxy": "192.0.2.1:3128"}, "proxy.httpProxy", "url-invalid"),
    ({"proxy.noProxy": "a_b"}, "proxy.noProxy", "no-proxy-invalid"),
    ({"pullSecret": "hello"}, "pullSecret", "pull-secret-invalid"),
    # Kubernetes' own
    ({"kubernetes.version": "latest"}, "kubernetes.version", "version-invalid"),
    ({"kubernetes.clusterConfiguration.clusterName": "x"}, "kubernetes.clusterConfiguration.clusterName",
     "patch-of-ours"),
    ({"kubernetes.clusterConfiguration.apiserver": {}}, "kubernetes.clusterConfiguration.apiserver", "unknown-field"),
    ({"kubernetes.clusterConfiguration.apiServer.extraArgs": [{"name": "v"}]},
     "kubernetes.clusterConfiguration.apiServer.extraArgs", "extra-args-invalid"),
    ({"kubernetes.kubeletConfiguration.cgroupDriver": "cgroupfs"}, "kubernetes.kubeletConfiguration.cgroupDriver",
     "patch-of-ours"),
    ({"kubernetes.kubeProxyConfiguration.clusterCIDR": "10.0.0.0/8"}, "kubernetes.kubeProxyConfiguration.clusterCIDR",
     "patch-of-ours"),
    ({"kubernetes.kubeProxyConfiguration.clientConnection.kubeconfig": "/x"},
     "kubernetes.kubeProxyConfiguration.clientConnection.kubeconfig", "patch-of-ours"),
    ({"kubernetes.kubeProxyConfiguration": "ipvs"}, "kubernetes.kubeProxyConfiguration", "value-invalid"),
    ({"metadata.namespace": "cluster0"}, "metadata.namespace", "field-ignored"),
    ({"baseDomain": ".".join(["abcdefghi"] * 25)}, "baseDomain", "domain-too-long"),
]  # fmt: skip

AGENT_RULES: list[tuple[Changes, str, str]] = [
    ({"apiVersion": "v1"}, "apiVersion", "value-invalid"),
    ({"kind": "Agent"}, "kind", "value-invalid"),
    ({"metadata.name": "other"}, "metadata.name", "name-contradiction"),
    ({"rendezvousIP": "192.0.2.13"}, "rendezvousIP", "rendezvous-on-worker"),
    ({"rendezvousIP": "192.0.2.77"}, "rendezvousIP", "rendezvous-on-no-host"),
    ({"rendezvousIP": "198.51.100.1"}, "rendezvousIP", "rendezvous-outside-machine-network"),
    # 192.0.2.1 is a gateway and a DNS server, not an address of a host: text alone must not match.
    ({"rendezvousIP": "192.0.2.1"}, "rendezvousIP", "rendezvous-on-no-host"),
    ({"additionalNTPSources": ["bad name"]}, "additionalNTPSources[0]", "ntp-source-invalid"),
    ({"additionalNTPSources": ["172.30.0.9"]}, "additionalNTPSources[0]", "address-in-cluster-network"),
    ({"hosts.0.networkConfig.dns-resolver.config.server": ["10.128.0.53"]},
     "hosts[0].networkConfig.dns-resolver.config.server[0]", "address-in-cluster-network"),
    ({"additionalNTPSources": ["0.0.0.0"]}, "additionalNTPSources[0]", "address-not-a-host"),
    ({"hosts.0.networkConfig.dns-resolver.config.server": ["127.0.0.1"]},
     "hosts[0].networkConfig.dns-resolver.config.server[0]", "address-not-a-host"),
    ({f"{NIC}.ipv4.address.0.ip": "224.0.0.9"}, "hosts[0].networkConfig.interfaces[0].ipv4.address[0].ip",
     "address-not-a-host"),
    ({f"{NIC}.ipv4.address": [{"ip": "192.0.2.10", "prefix-length": 24}, {"ip": "10.130.0.4", "prefix-length": 24}]},
     "hosts[0].networkConfig.interfaces[0].ipv4.address[1].ip", "address-in-cluster-network"),
    ({"bootArtifactsBaseURL": "boot.example.com"}, "bootArtifactsBaseURL", "url-invalid"),
    ({"ipxeBaseURL": "boot.example.com"}, "bootArtifactsBaseURL", "url-invalid"),
    ({"hosts.0.role": "arbiter"}, "hosts[0].role", "value-invalid"),
    ({"hosts.0.interfaces": []}, "hosts[0].networkConfig.interfaces[0].name", "interface-not-listed"),
    ({"hosts.0.interfaces.0.macAddress": None}, "hosts[0].interfaces[0].macAddress", "field-missing"),
    ({"hosts.1.interfaces.0.macAddress": "52:54:00:00:00:0A", "hosts.2.interfaces.0.macAddress": "52-54-00-00-00-0a"},
     "hosts[2].interfaces[0].macAddress", "mac-duplicate"),
    ({"hosts.1.hostname": "alpha"}, "hosts[1].hostname", "hostname-duplicate"),
    ({"hosts.1.hostname": "a" * 64}, "hosts[1].hostname", "hostname-invalid"),
    ({"hosts.0.interfaces.0.name": "eno1"}, "hosts[0].networkConfig.interfaces[0].name", "interface-not-listed"),
    ({"hosts.3.networkConfig.interfaces.0.ipv4.address.0.ip": "192.0.2.12"},
     "hosts[3].networkConfig.interfaces[0].ipv4.address[0].ip", "address-duplicate"),
    ({f"{WORKER_NIC}.ipv4.address.0.prefix-length": 25}, "hosts[3].networkConfig.interfaces[0].ipv4.address[0].ip",
     "prefix-contradiction"),
    ({f"{WORKER_NIC}.ipv4.address.0.ip": "198.51.100.7"}, "hosts[3].networkConfig.interfaces[0].ipv4.address[0].ip",
     "address-outside-machine-network"),
    ({f"{NIC}.mac-address": "52:54:00:00:00:99"}, "hosts[0].networkConfig.interfaces[0].mac-address",
     "mac-contradiction"),
    ({"hosts.0.networkConfig.interfaces": []}, "hosts[0].networkConfig.interfaces", "value-invalid"),
    ({"hosts.0.networkConfig": "interfaces: ["}, "", "yaml-invalid"),
    ({"hosts.0.networkConfig.routes.config.0.next-hop-address": "198.51.100.1"},
     "hosts[0].networkConfig.routes.config[0].next-hop-address", "gateway-off-link"),
    ({"hosts.0.networkConfig.routes.config.0.next-hop-address": "192.0.2.255"},
     "hosts[0].networkConfig.routes.config[0].next-hop-address", "gateway-not-a-host"),
    ({f"{NIC}.ipv4": {"enabled": True, "dhcp": False, "address": []}},
     "hosts[0].networkConfig.interfaces[0].ipv4", "ipv4-without-address"),
    ({"hosts.0.networkConfig.interfaces": [{"name": "eth0", "type": "ethernet"}, {"name": "eth0", "type": "ethernet"}]},
     "hosts[0].networkConfig.interfaces[1].name", "interface-duplicate"),
    ({"hosts.0.rootDeviceHints": {"hctl": "1:2"}}, "hosts[0].rootDeviceHints.hctl", "value-invalid"),
    ({"hosts.0.rootDeviceHints": {"wwnWithExtension": "x"}}, "hosts[0].rootDeviceHints.wwnWithExtension",
     "field-refused"),
    ({"hosts.0.rootDeviceHints": {"minSizeGigabytes": -1}}, "hosts[0].rootDeviceHints.minSizeGigabytes",
     "value-invalid"),
    ({"hosts.0.rootDeviceHints": {"rotational": "no"}}, "hosts[0].rootDeviceHints.rotational", "value-invalid"),
    ({"hosts.0.nodeLabels": {"a b": "c"}}, "hosts[0].nodeLabels.a b.[key]", "label-invalid"),
    ({"hosts.0.nodeTaints": [{"key": "gpu", "effect": "Never"}]}, "hosts[0].nodeTaints[0].effect", "value-invalid"),
    ({"hosts.0.nodeTaints": [{"key": "a", "value": "1", "effect": "NoSchedule"}, {"key": "a", "effect": "NoSchedule"}]},
     "hosts[0].nodeTaints[1]", "taint-duplicate"),
    ({"hosts.0.kernelArguments": ["a b"]}, "hosts[0].kernelArguments[0]", "kernel-argument-invalid"),
    ({"kernelArguments": ["a b"]}, "kernelArguments[0]", "kernel-argument-invalid"),
    ({"kernelArguments": ["cluster0.shell"]}, "kernelArguments[0]", "kernel-argument-ours"),
    ({"missingWorkers": "never"}, "missingWorkers", "value-invalid"),
    ({"missingWorkersMinutes": -1}, "missingWorkersMinutes", "value-invalid"),
    ({"tokenLifetimeDays": 0}, "tokenLifetimeDays", "value-invalid"),
    ({"ignitionConfigOverride": "{}"}, "ignitionConfigOverride", "ignition-override-invalid"),
    ({"hosts.0.ignitionConfigOverride": "{"}, "hosts[0].ignitionConfigOverride", "ignition-override-invalid"),
    ({"ignitionConfigOverride": '{"ignition": {"version": "3.4.0"}}'}, "ignitionConfigOverride",
     "ignition-override-invalid"),
    ({"ignitionConfigOverride": f"{IGNITION}, \"kernelArguments\": {{\"shouldExist\": [\"a\"]}}}}"},
     "ignitionConfigOverride", "ignition-override-invalid"),
    ({"ignitionConfigOverride": _file("/etc/cluster0/cluster.json", "data:,x")}, "ignitionConfigOverride",
     "ignition-override-invalid"),
    ({"ignitionConfigOverride": _file("/etc/x", "https://192.0.2.1/x")}, "ignitionConfigOverride",
     "ignition-override-invalid"),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "path", "code"), INSTALL_RULES, ids=str)
def test_each_upstream_rule_on_install_config_is_checked(
    changes: Changes, path: str, code: str, tmp_path: Path
) -> None:
    assert (path, code) in [(finding.path, finding.code) for finding in site(tmp_path, changes, {}).findings]


@pytest.mark.parametrize(("changes", "path", "code"), AGENT_RULES, ids=str)
def test_each_upstream_rule_on_agent_config_is_checked(changes: Changes, path: str, code: str, tmp_path: Path) -> None:
    findings = site(tmp_path, {}, changes).findings
    assert (path, code) in [(finding.path, finding.code) for finding in findings]
    assert all(finding.line and finding.column and finding.remedy for finding in findings)


@pytest.mark.parametrize(
    ("install", "agent"),
    [
        ({"controlPlane.replicas": 4, "compute.0.replicas": 1}, {"hosts.3.role": "master"}),
        ({"controlPlane.replicas": 5, "compute": None}, {"hosts.3.role": "", "hosts.4.role": None}),
        ({"compute": None, "controlPlane.replicas": 5}, {f"hosts.{host}.role": None for host in range(5)}),
        ({}, {"rendezvousIP": None}),
        ({"networking.machineNetwork": None}, {}),
        ({"networking": None}, {}),
        ({"platform": {"none": {}}}, {"hosts": None}),
        ({"platform.baremetal.loadBalancer.type": "UserManaged", "platform.baremetal.apiVIPs": ["198.51.100.5"]}, {}),
        ({"sshKey": f"{KEY}\n{KEY}\n"}, {"apiVersion": "v1alpha1"}),
        ({"proxy": {"httpProxy": "http://u:p%40w@192.0.2.1:3128", "noProxy": "a.example.com, 192.0.2.0/24"}}, {}),
        ({"kubernetes.clusterConfiguration.apiServer.extraArgs": {"v": "2"}}, {"sshEnabled": False}),
        ({"kubernetes.kubeProxyConfiguration.conntrack": {"maxPerCore": 0, "min": 0}}, {}),
        ({"kubernetes.kubeletConfiguration.maxPods": 50}, {"hosts.0.nodeLabels": {"example.com/rack": "a1"}}),
        ({"imageDigestSources": [{"source": "quay.io/a/b", "mirrors": ["m.example.com:5000/x/a/b"]}]}, {}),
        ({}, {"hosts.0.rootDeviceHints": {"model": "QEMU", "rotational": False, "wwn": "0x5000c500a1b2c3d4"}}),
        ({}, {"hosts.0.kernelArguments": ["quiet"], "kernelArguments": ["mitigations=off"]}),
        ({}, {"ignitionConfigOverride": _file("/etc/x", "data:,x"), "hosts.1.ignitionConfigOverride": f"{IGNITION}}}"}),
    ],
    ids=str,
)
def test_inputs_that_upstream_accepts_are_accepted(install: Changes, agent: Changes, tmp_path: Path) -> None:
    findings = site(tmp_path, install, agent).findings
    assert [finding for finding in findings if finding.severity is FindingSeverity.ERROR] == []


def test_contradicting_ssh_settings_are_a_finding(tmp_path: Path) -> None:
    (finding,) = site(tmp_path, {"sshKey": KEY}, {"sshEnabled": False}).findings
    assert (finding.path, finding.code) == ("sshEnabled", "ssh-contradiction")


def test_without_any_static_address_the_rendezvous_address_must_be_given(tmp_path: Path) -> None:
    everything = {f"hosts.{host}.networkConfig": None for host in range(5)}
    findings = site(tmp_path, {}, {**everything, "rendezvousIP": None}).findings
    assert [(finding.path, finding.code) for finding in findings] == [("", "rendezvous-missing")]


def test_the_machine_network_is_required_if_no_host_has_the_rendezvous_address(tmp_path: Path) -> None:
    everything = {f"hosts.{host}.networkConfig": None for host in range(5)}
    findings = site(tmp_path, {"networking": None}, everything).findings
    assert [(finding.path, finding.code) for finding in findings] == [("networking", "machine-network-missing")]


def test_the_default_networks_of_pods_and_services_are_not_the_sites(tmp_path: Path) -> None:
    findings = site(tmp_path, {"networking": None}, {"additionalNTPSources": ["10.128.0.9"]}).findings
    (finding,) = findings
    assert finding.code == "address-in-cluster-network"
    assert "the default of clusterNetwork" in finding.rule


def test_omitted_fields_get_upstreams_defaults(tmp_path: Path) -> None:
    inputs = site(tmp_path, {"networking": None}, {"rendezvousIP": None}).valid_inputs()
    assert inputs.agent.rendezvous_ip == "192.0.2.10"
    assert [entry.cidr for entry in inputs.install.networking.machine_network] == ["192.0.2.0/24"]
