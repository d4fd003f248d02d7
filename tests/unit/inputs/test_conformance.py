"""Upstream's own cases, compared by meaning: accepted, or an error about the same field for the same reason.

`EXPECTED` maps each case to the finding of ours that means the same as upstream's message. `DEVIATIONS` lists where we
differ, and why. A case that is in neither must be accepted.
"""

from __future__ import annotations

import base64
import json
import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from inputs.document.findings import Finding, FindingSeverity
from inputs.load import AGENT_CONFIG, INSTALL_CONFIG, load_inputs
from tests.paths import DATA

CASES = {
    case["file"]: case
    for case in json.loads((DATA / "conformance/inputs.json").read_text())["cases"]
    if case["relevance"] == "direct"
}

IMAGE = "cmd/openshift-install/testdata/agent/image"
PXE = "cmd/openshift-install/testdata/agent/pxe"
AGENT = "pkg/asset/agent/agentconfig/agent_config_test.go#"
HOSTS = "pkg/asset/agent/agentconfig/agenthosts_test.go#"
INSTALL = "pkg/asset/agent/installconfig_test.go#"
NMSTATE = "pkg/asset/agent/manifests/nmstateconfig_test.go#"
BAREMETAL_HOST = "platform.baremetal.hosts[0]"

EXPECTED = {
    f"{IMAGE}/validations/compact_invalid_controlPlane_replicas.txt": ("controlPlane.replicas", "replicas-invalid"),
    f"{IMAGE}/validations/compact_too_many_workers.txt": ("hosts[3].role", "hosts-too-many"),
    f"{PXE}/validations/sno_invalid_bootArtifactsBaseUrl.txt": ("bootArtifactsBaseURL", "url-invalid"),
    f"{AGENT}not-yaml": ("", "yaml-invalid"),
    f"{AGENT}unknown-field": ("wrongField", "unknown-field"),
    f"{AGENT}invalid-rendezvousIP": ("rendezvousIP", "ip-invalid"),
    f"{AGENT}invalid-bootArtifactsBaseURL": ("bootArtifactsBaseURL", "url-invalid"),
    f"{HOSTS}unsupported-device-name-agent-config": ("hosts[0].rootDeviceHints.deviceName", "device-name-invalid"),
    f"{HOSTS}unsupported-www-vendor-extension-agent-config": (
        "hosts[0].rootDeviceHints.wwnVendorExtension", "field-refused",
    ),
    f"{HOSTS}host-roles-have-incorrect-values": ("hosts[0].role", "value-invalid"),
    f"{HOSTS}invalid-mac": ("hosts[0].interfaces[0].macAddress", "mac-invalid"),
    f"{HOSTS}duplicate-mac-same-host-install-config": (
        f"{BAREMETAL_HOST}.networkConfig.interfaces[1].mac-address", "mac-duplicate",
    ),
    f"{HOSTS}invalid-rendezvous-install-config": ("rendezvousIP", "rendezvous-on-worker"),
    f"{INSTALL}apiVips not set for baremetal Compact platform": ("platform.baremetal.apiVIPs", "field-missing"),
    f"{INSTALL}ingress and api VIP must differ": ("platform.vsphere.apiVIPs[0]", "vip-twice"),
    f"{INSTALL}two VIPs must be one IPv4 and one IPv6": ("platform.vsphere.apiVIPs[1]", "vip-family-wrong"),
}  # fmt: skip


@dataclass(frozen=True)
class Deviation:
    """`codes`: every error of ours; none if we accept a case that upstream rejects."""

    why: str
    codes: frozenset[str] = frozenset()


def _deviation(why: str, *codes: str) -> Deviation:
    return Deviation(why, frozenset(codes))


NETWORKS = ("host-prefix-invalid", "vip-outside-machine-network", "rendezvous-outside-machine-network")
DEVIATIONS = {
    f"{IMAGE}/configurations/ha_hosts_no_interfaces_no_macAddress.txt": _deviation(
        "Upstream contradicts itself over its versions. A host without a MAC address cannot be identified, so it is "
        "an error here.",
        "host-without-mac",
    ),
    f"{IMAGE}/validations/sno_invalid_workers.txt": _deviation(
        "Plain Kubernetes has no such rule: one control plane and n workers is a cluster that users ask for."
    ),
    f"{PXE}/configurations/sno-arm.txt": _deviation(
        "The base ISO is amd64, and so are the files that hosts boot over the network; the architecture is refused.",
        "not-supported-yet",
    ),
    f"{HOSTS}no-hosts": _deviation(
        "Upstream's test looks at hosts only. Its networks could not work, and we check them.", *NETWORKS
    ),
    f"{HOSTS}host-from-install-config": _deviation(
        "As no-hosts; also, one host is listed where three are required.", *NETWORKS, "hosts-too-few"
    ),
    f"{HOSTS}multi-host-no-interfaces-from-agent-config": _deviation(
        "As no-hosts, and as ha_hosts_no_interfaces_no_macAddress.", *NETWORKS, "host-without-mac"
    ),
    f"{INSTALL}no compute.replicas set for SNO": _deviation(
        "There is no hidden default of three workers: a missing value is 0, so the file is valid."
    ),
}

NOT_INPUTS = {
    "cmd/openshift-install/testdata/agent/agentconfigtemplate/agent-config-template.txt":
        "`cluster0 create config` writes samples that are valid, unlike upstream's: test_samples.py.",
    "cmd/node-joiner/testdata/add-nodes-report.txt": "Adding hosts later is a command that cluster0 does not have.",
    f"{NMSTATE}add-nodes: hostname already used in the cluster":
        "As above; within one agent-config it is hostname-duplicate: test_upstream_rules.py.",
    f"{NMSTATE}networkConfig present, interface table empty":
        "No input was collected; the rule is in test_upstream_rules.py, and of an NMStateConfig in "
        "cluster_manifests/test_findings.py.",
}  # fmt: skip


def errors(case: dict[str, Any], directory: Path) -> list[Finding]:
    """The errors about the files that the case has."""
    files = {INSTALL_CONFIG: case.get("install_config"), AGENT_CONFIG: case.get("agent_config")}
    given = {name: content for name, content in (files | case.get("other_files", {})).items() if content is not None}
    for name, content in given.items():
        (directory / name).parent.mkdir(exist_ok=True)
        (directory / name).write_text(_generated() if content.startswith("@generate") else content)
    return [
        finding
        for finding in load_inputs(directory).findings
        if finding.severity is FindingSeverity.ERROR and str(Path(finding.file).relative_to(directory)) in given
    ]


def _generated() -> str:
    """The content that the case describes: text that cannot be compressed."""
    text = base64.b64encode(random.Random(0).randbytes(378_000)).decode()
    return "random_data: |\n" + "".join(f"  {text[at : at + 1000]}\n" for at in range(0, len(text), 1000))


def test_every_case_is_in_one_table() -> None:
    assert CASES.keys() >= EXPECTED.keys() | DEVIATIONS.keys() | NOT_INPUTS.keys()
    for name, case in CASES.items():
        tables = [table for table in (EXPECTED, DEVIATIONS, NOT_INPUTS) if name in table]
        assert len(tables) == 1 or (case["expect"] == "ok" and not tables), name


@pytest.mark.parametrize("name", [name for name in CASES if name not in DEVIATIONS and name not in NOT_INPUTS])
def test_an_upstream_case_has_upstreams_result(name: str, tmp_path: Path) -> None:
    found = errors(CASES[name], tmp_path)
    if name in EXPECTED:
        assert EXPECTED[name] in [(finding.path, finding.code) for finding in found]
        assert all(finding.rule and finding.remedy for finding in found)
    else:
        assert found == []


@pytest.mark.parametrize("name", DEVIATIONS)
def test_each_listed_deviation_from_upstream_exists(name: str, tmp_path: Path) -> None:
    assert {finding.code for finding in errors(CASES[name], tmp_path)} == DEVIATIONS[name].codes
