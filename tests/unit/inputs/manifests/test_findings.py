"""Findings about manifests: file, line and path in the manifest itself."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from inputs.load import AGENT_CONFIG, load_inputs
from tests.unit.inputs.manifests.conftest import Found, edit, short

MAIN = "agent-cluster-install.yaml"


@pytest.mark.parametrize(
    ("file", "old", "new", "path", "code"),
    [
        (MAIN, "controlPlaneAgents: 3", "controlPlaneAgents: 2",
         "spec.provisionRequirements.controlPlaneAgents", "replicas-invalid"),
        (MAIN, "    controlPlaneAgents: 3\n", "", "spec.provisionRequirements.controlPlaneAgents", "field-missing"),
        (MAIN, "workerAgents: 0", "workerAgents: many", "spec.provisionRequirements.workerAgents", "value-invalid"),
        (MAIN, "cidr: 192.0.2.0/24", "cidr: 192.0.2.0/33", "spec.networking.machineNetwork[0].cidr", "cidr-invalid"),
        (MAIN, "platformType: BareMetal", "platformType: VSphere", "spec.platformType", "openshift-only"),
        (MAIN, "apiVIP: 192.0.2.5", "apiVIP: 192.0.2.6", "spec.apiVIP", "manifests-disagree"),
        (MAIN, "platformType:", "holdInstallation: true\n  platformType:", "spec.holdInstallation", "openshift-only"),
        (MAIN, "platformType:", "platformtype: None\n  platformType:", "spec.platformtype", "unknown-field"),
        (MAIN, "platformType:", "arbiter: None\n  platformType:", "spec.arbiter", "unknown-field"),
        (MAIN, "kind: AgentClusterInstall", "kind: InfraEnv", "kind", "manifest-kind"),
        (MAIN, "imageSetRef:\n    name: kubernetes", "imageSetRef:\n    name: other", "spec.imageSetRef.name",
         "manifest-reference"),
        (MAIN, "spec:\n", "spec:\n  sshPublicKey: nonsense\n", "spec.sshPublicKey", "ssh-key-invalid"),
        ("cluster-deployment.yaml", "baseDomain: example.com", "baseDomain: a_b", "spec.baseDomain", "domain-invalid"),
        ("infraenv.yaml", "cpuArchitecture: x86_64", "cpuArchitecture: s390x", "spec.cpuArchitecture",
         "not-supported-yet"),
        ("infraenv.yaml", "spec:\n", "spec:\n  additionalNTPSources: [a b]\n", "spec.additionalNTPSources[0]",
         "ntp-source-invalid"),
        ("infraenv.yaml", "spec:\n", "spec:\n  kernelArguments: [{operation: append, value: quiet}]\n",
         "spec.kernelArguments", "openshift-only"),
        ("nmstateconfig.yaml", "52:54:00:00:00:02", "52:54:00", "spec.interfaces[0].macAddress", "mac-invalid"),
        ("nmstateconfig.yaml", "ip: 192.0.2.11", "ip: 192.0.2.1000",
         "spec.config.interfaces[0].ipv4.address[0].ip", "ip-invalid"),
        ("nmstateconfig.yaml", "ip: 192.0.2.11", "ip: 192.0.2.10",
         "spec.config.interfaces[0].ipv4.address[0].ip", "address-duplicate"),
        ("nmstateconfig.yaml", "infraenvs.agent-install.openshift.io: site", "other: site", "metadata.labels",
         "manifest-not-selected"),
        ("nmstateconfig.yaml", "  - name: eth0\n    macAddress: '52:54:00:00:00:02'\n", "  []\n",
         "agentConfig.hosts[1]", "host-without-mac"),
        ("nmstateconfig.yaml", "name: site-1", "name: site-7", "agentConfig.hosts[1].nmStateConfig",
         "manifest-reference"),
        ("nmstateconfig.yaml", "name: site-1", "name: site-0", "metadata.name", "manifest-name-duplicate"),
        ("cluster0.yaml", "role: master", "role: king", "agentConfig.hosts[0].role", "value-invalid"),
        ("cluster0.yaml", "agentConfig:", "agentConfig:\n  rendezvusIP: 192.0.2.10", "agentConfig.rendezvusIP",
         "unknown-field"),
        ("cluster0.yaml", "agentConfig:", "agentconfig:", "agentconfig", "unknown-field"),
        ("cluster0.yaml", "kind: Cluster0Settings", "kind: Cluster0Settings\ninstallConfig: {fips: true}",
         "installConfig.fips", "openshift-only"),
        ("cluster0.yaml", "kind: Cluster0Settings", "kind: Cluster0Settings\ninstallConfig: {baseDomain: a.example}",
         "installConfig.baseDomain", "manifests-disagree"),
        ("pull-secret.yaml", '"auths": {}', '"auths": []', "stringData..dockerconfigjson", "pull-secret-invalid"),
    ],
)  # fmt: skip
def test_a_finding_names_manifest_line_and_field(
    file: str, old: str, new: str, path: str, code: str, manifests_only: Path, found: Found
) -> None:
    edit(manifests_only / file, old, new)
    findings = [finding for finding in load_inputs(manifests_only.parent).findings if finding.code == code]
    assert (path, code) in [(finding.path, finding.code) for finding in findings], found()
    (finding,) = [finding for finding in findings if finding.path == path]
    lines = Path(finding.file).read_text().splitlines()
    assert finding.line >= 1
    assert finding.column >= 1
    assert not finding.excerpt or finding.excerpt == lines[finding.line - 1]
    assert finding.rule
    assert finding.remedy


def test_a_finding_in_the_second_document_names_its_line_in_the_file(manifests_only: Path) -> None:
    edit(manifests_only / "nmstateconfig.yaml", "52:54:00:00:00:02", "52:54:00")
    (finding,) = load_inputs(manifests_only.parent).findings
    lines = (manifests_only / "nmstateconfig.yaml").read_text().splitlines()
    assert finding.file == str(manifests_only / "nmstateconfig.yaml")
    assert finding.line == lines.index("    macAddress: '52:54:00'") + 1
    assert finding.value == '"52:54:00"'


def test_a_rule_names_other_places_by_their_file(manifests_only: Path) -> None:
    edit(manifests_only / "nmstateconfig.yaml", "ip: 192.0.2.11", "ip: 192.0.2.10")
    (finding,) = load_inputs(manifests_only.parent).findings
    assert "spec.config.interfaces[0].ipv4.address[0].ip of" in finding.rule
    assert "nmstateconfig.yaml" in finding.rule


def test_missing_and_unknown_manifest_files_are_findings(manifests_only: Path, found: Found) -> None:
    (manifests_only / MAIN).unlink()
    (manifests_only / "agent-service-config.yaml").write_text("kind: AgentServiceConfig\n")
    (manifests_only / ".infraenv.yaml.swp").write_text("")
    assert {(MAIN, "", "file-unreadable"), ("agent-service-config.yaml", "", "manifest-unknown")} <= set(found())


def test_findings_in_manifests_show_no_secret(manifests_only: Path) -> None:
    edit(manifests_only / MAIN, "spec:\n", 'spec:\n  proxy: {httpProxy: "http://user:hunter2@proxy:x"}\n')
    edit(manifests_only / "pull-secret.yaml", '"auths": {}', '"hunter2": {}')
    findings = load_inputs(manifests_only.parent).findings
    assert {short(finding)[0] for finding in findings} == {MAIN, "pull-secret.yaml"}
    assert "hunter2" not in str(findings)


def test_hosts_are_read_from_nmstateconfigs_without_our_own_manifest(manifests_only: Path) -> None:
    """The agent-based installer's manifests describe a host by its network only."""
    (manifests_only / "cluster0.yaml").unlink()
    inputs = load_inputs(manifests_only.parent).valid_inputs()
    assert inputs.agent.rendezvous_ip == "192.0.2.10"
    assert [host.interfaces[0].mac_address[-1] for host in inputs.agent.hosts] == ["1", "2", "3"]


def test_a_host_added_to_nmstateconfig_alone_is_read(manifests_only: Path) -> None:
    text = (manifests_only / "nmstateconfig.yaml").read_text()
    _, _, last = text.split("---\n")
    further = last.replace("site-2", "site-3").replace("00:03", "00:04").replace("192.0.2.12", "192.0.2.13")
    (manifests_only / "nmstateconfig.yaml").write_text(f"{text}---\n{further}---\n")
    edit(manifests_only / MAIN, "workerAgents: 0", "workerAgents: 1")
    hosts = load_inputs(manifests_only.parent).valid_inputs().agent.hosts
    assert [host.hostname for host in hosts] == ["alpha", "beta", "gamma", ""]


def test_inputs_that_contradict_the_manifests_are_findings(site: Path) -> None:
    manifest = site / "cluster-manifests" / MAIN
    edit(manifest, "192.0.2.5", "192.0.2.7")
    edit(manifest, "192.0.2.5", "192.0.2.7")
    loaded = load_inputs(site)
    assert loaded.inputs is None
    (finding,) = loaded.findings
    assert short(finding) == (MAIN, "spec.apiVIPs[0]", "manifests-contradict-inputs")
    assert 'install-config.yaml:23 says "192.0.2.5" in platform.baremetal.apiVIPs[0]' in finding.rule
    assert "--force" in finding.remedy


def test_a_contradiction_in_a_secret_does_not_show_it(site: Path) -> None:
    edit(
        site / "install-config.yaml", "platform:", 'proxy: {httpProxy: "http://user:hunter2@192.0.2.9:3128"}\nplatform:'
    )
    findings = load_inputs(site).findings
    assert [finding.code for finding in findings] == ["manifests-contradict-inputs"]
    assert "hunter2" not in str(findings)


def test_wrong_inputs_next_to_manifests_are_findings(site: Path) -> None:
    edit(site / AGENT_CONFIG, "52:54:00:00:00:01", "52:54:00")
    assert [short(finding) for finding in load_inputs(site).findings] == [
        (AGENT_CONFIG, "hosts[0].interfaces[0].macAddress", "mac-invalid")
    ]


def test_manifests_are_readable_by_their_owner_alone(manifests_only: Path) -> None:
    assert {stat.S_IMODE(path.stat().st_mode) for path in manifests_only.iterdir()} == {0o600}
