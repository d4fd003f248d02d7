"""Our manifests have the agent-based installer's form, and we read the manifests that it writes.

A single node on platform none must have the manifests of upstream's test `image/manifests/default_manifests.txt`,
with our names, and without `status` and `creationTimestamp`, which no program reads.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from inputs.load import AGENT_CONFIG, INSTALL_CONFIG, LoadResult, load_inputs
from inputs.manifests import DIRECTORY
from inputs.samples import write_samples
from inputs.write_manifests.create import create
from tests.unit.inputs.manifests.conftest import edit, short

KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f you"
METADATA = {"name": "site", "namespace": "site"}
LABELS = {"infraenvs.agent-install.openshift.io": "site"}

SINGLE_NODE: dict[str, dict[str, Any]] = {
    "agent-cluster-install.yaml": {
        "apiVersion": "extensions.hive.openshift.io/v1beta1",
        "kind": "AgentClusterInstall",
        "metadata": METADATA,
        "spec": {
            "clusterDeploymentRef": {"name": "site"},
            "imageSetRef": {"name": "kubernetes-v1.33.2"},
            "networking": {
                "clusterNetwork": [{"cidr": "10.128.0.0/14", "hostPrefix": 23}],
                "machineNetwork": [{"cidr": "192.0.2.0/24"}],
                "serviceNetwork": ["172.30.0.0/16"],
                "userManagedNetworking": True,
            },
            "platformType": "None",
            "provisionRequirements": {"controlPlaneAgents": 1, "workerAgents": 0},
            "sshPublicKey": KEY,
        },
    },
    "cluster-deployment.yaml": {
        "apiVersion": "hive.openshift.io/v1",
        "kind": "ClusterDeployment",
        "metadata": METADATA,
        "spec": {
            "baseDomain": "example.com",
            "clusterInstallRef": {
                "group": "extensions.hive.openshift.io",
                "kind": "AgentClusterInstall",
                "name": "site",
                "version": "v1beta1",
            },
            "clusterName": "site",
            "pullSecretRef": {"name": "site-pull-secret"},
        },
    },
    "cluster-image-set.yaml": {
        "apiVersion": "hive.openshift.io/v1",
        "kind": "ClusterImageSet",
        "metadata": {**METADATA, "name": "kubernetes-v1.33.2"},
        "spec": {"releaseImage": "kubernetes:v1.33.2"},
    },
    "infraenv.yaml": {
        "apiVersion": "agent-install.openshift.io/v1beta1",
        "kind": "InfraEnv",
        "metadata": METADATA,
        "spec": {
            "clusterRef": {"name": "site", "namespace": "site"},
            "cpuArchitecture": "x86_64",
            "nmStateConfigLabelSelector": {"matchLabels": LABELS},
            "pullSecretRef": {"name": "site-pull-secret"},
            "sshAuthorizedKey": KEY,
        },
    },
    "pull-secret.yaml": {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {**METADATA, "name": "site-pull-secret"},
        "stringData": {".dockerconfigjson": '{\n  "auths": {}\n}'},
    },
}


@pytest.fixture
def single_node(tmp_path: Path) -> Path:
    write_samples("sno", tmp_path)
    with (tmp_path / INSTALL_CONFIG).open("a") as file:
        file.write(f"sshKey: {KEY}\nkubernetes: {{version: 1.33.2}}\n")
    create(tmp_path, force=False)
    for name in (INSTALL_CONFIG, AGENT_CONFIG):
        (tmp_path / name).unlink()
    return tmp_path / DIRECTORY


@pytest.mark.parametrize("name", SINGLE_NODE)
def test_manifests_have_upstreams_form(name: str, single_node: Path) -> None:
    assert yaml.safe_load((single_node / name).read_text()) == SINGLE_NODE[name]


def test_networks_of_hosts_are_nmstateconfigs(single_node: Path) -> None:
    (network,) = yaml.safe_load_all((single_node / "nmstateconfig.yaml").read_text())
    assert network["metadata"] == {"name": "site-0", "namespace": "site", "labels": LABELS}
    assert network["spec"]["interfaces"] == [{"name": "eth0", "macAddress": "52:54:00:00:00:01"}]
    assert network["spec"]["config"]["interfaces"][0]["ipv4"]["address"] == [{"ip": "192.0.2.10", "prefix-length": 24}]


def add_upstream_fields(manifests: Path) -> None:
    """Adds the fields that Go's encoder writes, and an OpenShift release."""
    (manifests / "cluster0.yaml").unlink()
    for path in manifests.iterdir():
        edit(path, "metadata:\n", "metadata:\n  creationTimestamp: null\n")
    edit(manifests / "cluster-deployment.yaml", "spec:\n", """\
spec:
  controlPlaneConfig: {servingCertificates: {}}
  installed: false
  platform: {}
""")  # fmt: skip
    edit(manifests / "cluster-image-set.yaml", "kubernetes:v1.33.2", "quay.io/openshift-release-dev/ocp-release:4.20")
    edit(manifests / "infraenv.yaml", "spec:\n", "status: {debugInfo: {eventsURL: ''}}\nspec:\n  ipxeScriptType: ''\n")
    with (manifests / "nmstateconfig.yaml").open("a") as file:
        file.write("---\n")


def test_manifests_that_upstream_wrote_are_read(single_node: Path) -> None:
    before = load_inputs(single_node.parent).valid_inputs()
    add_upstream_fields(single_node)
    loaded = load_inputs(single_node.parent)
    assert [short(finding) for finding in loaded.findings] == [
        ("cluster-image-set.yaml", "spec.releaseImage", "field-ignored")
    ]
    inputs = loaded.valid_inputs()
    assert inputs.install.kubernetes.version == ""
    assert inputs.agent.rendezvous_ip == before.agent.rendezvous_ip
    assert inputs.agent.hosts[0].network_config == before.agent.hosts[0].network_config


def with_overrides(manifests: Path, document: str) -> LoadResult:
    path = manifests / "agent-cluster-install.yaml"
    name = "agent-install.openshift.io/install-config-overrides"
    edit(path, "metadata:\n", f"metadata:\n  annotations:\n    {name}: '{document}'\n")
    return load_inputs(manifests.parent)


def test_install_config_overrides_of_a_manifest_are_used(single_node: Path) -> None:
    edit(
        single_node / "agent-cluster-install.yaml", "  networking:\n", "  networking:\n    networkType: OVNKubernetes\n"
    )
    loaded = with_overrides(single_node, '{"networking": {"networkType": "flannel"}}')
    assert loaded.valid_inputs().install.networking.network_type == "flannel"


@pytest.mark.parametrize(
    ("document", "code"),
    [
        ('{"fips": true}', "openshift-only"),
        ("{", "value-invalid"),
        ("[]", "value-invalid"),
        ('{"a": 1}', "unknown-field"),
    ],
)
def test_invalid_install_config_overrides_are_findings(document: str, code: str, single_node: Path) -> None:
    (finding,) = with_overrides(single_node, document).findings
    assert (finding.code, finding.line) == (code, 5)
    assert finding.path == "metadata.annotations.agent-install.openshift.io/install-config-overrides"
    assert finding.excerpt == "", "there may be a BMC's password in it"
