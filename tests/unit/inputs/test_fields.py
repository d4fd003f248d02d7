"""Every field by itself: accepted values, and the findings about others."""

from __future__ import annotations

from pathlib import Path

import pytest

from inputs.document.findings import ConfigurationError, FindingSeverity
from inputs.load import AGENT_CONFIG, INSTALL_CONFIG, load_inputs
from inputs.samples import write_samples
from tests.unit.inputs.conftest import Edits, LoadEdited

MAC = "macAddress: 52:54:00:00:00:01"
NTP = "# additionalNTPSources: [192.0.2.1]"
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ0lYH4zZ0oWkP2Jm2Rk3y1m8r0Zb0q5d2bq8mJ9Xh3T you@laptop"
SSH = "# sshKey: ssh-ed25519 AAAA... you@laptop"


def test_the_samples_are_valid(load_edited: LoadEdited) -> None:
    loaded = load_edited()
    assert loaded.findings == ()
    assert loaded.valid_inputs().agent.hosts[0].interfaces[0].mac_address == "52:54:00:00:00:01"


@pytest.mark.parametrize(
    ("agent", "path", "code"),
    [
        ({MAC: "macAddress: 52:54:00"}, "hosts[0].interfaces[0].macAddress", "mac-invalid"),
        ({MAC: "macAddress: 01:00:5e:00:00:01"}, "hosts[0].interfaces[0].macAddress", "mac-not-a-host"),
        ({MAC: "macAddress: 525400000001"}, "hosts[0].interfaces[0].macAddress", "value-invalid"),
        ({MAC: "macAddres: 52:54:00:00:00:01"}, "hosts[0].interfaces[0].macAddres", "unknown-field"),
        ({"rendezvousIP: 192.0.2.10 ": "rendezvousIP: node0 "}, "rendezvousIP", "ip-invalid"),
        ({"ip: 192.0.2.10": "addr: 192.0.2.10"}, "hosts[0].networkConfig.interfaces[0].ipv4.address[0].addr",
         "unknown-field"),
        ({"role: master ": "role: boss "}, "hosts[0].role", "value-invalid"),
        ({"hostname: alpha": "hostname: Alpha"}, "hosts[0].hostname", "hostname-invalid"),
        ({"hostname: alpha": "hostname: localhost"}, "hosts[0].hostname", "hostname-localhost"),
        ({"/dev/sda ": "sda "}, "hosts[0].rootDeviceHints.deviceName", "device-name-invalid"),
        ({"/dev/sda ": "/dev/disk/by-id/x "}, "hosts[0].rootDeviceHints.deviceName", "device-name-invalid"),
        ({"deviceName: /dev/sda": "hctl: sda"}, "hosts[0].rootDeviceHints.hctl", "value-invalid"),
        ({NTP: "additionalNTPSources: [a_b]"}, "additionalNTPSources[0]",
         "ntp-source-invalid"),
        ({NTP: "additionalNTPSources: [192.0.2.300]"}, "additionalNTPSources[0]",
         "ntp-source-invalid"),
        ({NTP: "additionalNTPSources: 192.0.2.1"}, "additionalNTPSources",
         "value-invalid"),
        ({"type: ethernet": "type: team"}, "hosts[0].networkConfig.interfaces[0].type", "value-invalid"),
        ({"dhcp: false": "dhcp: no"}, "hosts[0].networkConfig.interfaces[0].ipv4.dhcp", "value-invalid"),
        ({"prefix-length: 24": "prefix-length: 129"},
         "hosts[0].networkConfig.interfaces[0].ipv4.address[0].prefix-length", "value-invalid"),
        ({"destination: 0.0.0.0/0": "destination: 10.0.0.1/8"},
         "hosts[0].networkConfig.routes.config[0].destination", "cidr-invalid"),
        ({"# consentToWipe: true": "consentToWipe: 'true'"}, "hosts[0].consentToWipe", "value-invalid"),
    ],
)  # fmt: skip
def test_each_wrong_field_of_agent_config_is_found(load_edited: LoadEdited, agent: Edits, path: str, code: str) -> None:
    loaded = load_edited(agent=agent)
    (finding,) = (finding for finding in loaded.findings if (finding.path, finding.code) == (path, code))
    (written,) = agent.values()
    assert written.strip() in finding.excerpt
    assert loaded.inputs is None


@pytest.mark.parametrize(
    ("install", "path", "code"),
    [
        ({"apiVersion: v1": "apiVersion: v2"}, "apiVersion", "value-invalid"),
        ({"name: site ": "name: Site "}, "metadata.name", "cluster-name-invalid"),
        ({"name: site ": "name: a.b "}, "metadata.name", "cluster-name-invalid"),
        ({"baseDomain: example.com": "baseDomain: example_com"}, "baseDomain", "domain-invalid"),
        ({"baseDomain: example.com": ""}, "baseDomain", "field-missing"),
        ({"replicas: 1 ": "replicas: one "}, "controlPlane.replicas", "value-invalid"),
        ({"replicas: 1 ": "replicas: 0 "}, "controlPlane.replicas", "value-invalid"),
        ({"replicas: 1 ": "replicas: 1.5 "}, "controlPlane.replicas", "value-invalid"),
        ({"cidr: 192.0.2.0/24": "cidr: 192.0.2.1/24"}, "networking.machineNetwork[0].cidr", "cidr-invalid"),
        ({"none: {} ": "baremetal: {} "}, "platform.baremetal.apiVIPs", "field-missing"),
        ({"none: {} ": "aws: {} "}, "platform.aws", "openshift-only"),
        ({"none: {} ": "none: "}, "platform.none", "value-invalid"),
        ({SSH: "sshKey: ssh-ed25519 AAAA"}, "sshKey", "ssh-key-invalid"),
        ({SSH: "sshKey: ssh-ed25519 AAAAB3NzaC1yc2E="}, "sshKey", "ssh-key-invalid"),
        ({SSH: "sshKey: hello"}, "sshKey", "ssh-key-invalid"),
        ({SSH: "sshKey: |\n  -----BEGIN OPENSSH PRIVATE KEY-----"}, "sshKey", "ssh-key-private"),
        ({SSH: "pullSecret: hunter2"}, "pullSecret", "pull-secret-invalid"),
        ({SSH: "pullSecret: '{}'"}, "pullSecret", "pull-secret-invalid"),
        ({SSH: "proxy: {httpProxy: 192.0.2.1}"}, "proxy.httpProxy", "url-invalid"),
        ({SSH: "imageDigestSources: [{source: quay.io/a:1}]"}, "imageDigestSources[0].source", "repository-invalid"),
        ({SSH: "imageDigestSources: [{source: team/app}]"}, "imageDigestSources[0].source", "repository-invalid"),
        ({SSH: "imageContentSources: [{source: quay.io, mirrors: ['https://m.example.com']}]"},
         "imageContentSources[0].mirrors[0]", "repository-invalid"),
        ({SSH: "additionalTrustBundle: hello"}, "additionalTrustBundle", "certificate-invalid"),
        ({SSH: "base_domain: x"}, "base_domain", "unknown-field"),
    ],
)  # fmt: skip
def test_each_wrong_field_of_install_config_is_found(
    load_edited: LoadEdited, install: Edits, path: str, code: str
) -> None:
    loaded = load_edited(install=install)
    assert (path, code) in [(finding.path, finding.code) for finding in loaded.findings]
    assert loaded.inputs is None


def test_valid_values_that_look_odd_are_accepted(load_edited: LoadEdited) -> None:
    loaded = load_edited(
        install={SSH: f"sshKey: |\n  # mine\n  {KEY}\npullSecret: '{{\"auths\": {{}}}}'"},
        agent={MAC: "macAddress: 52-54-00-AB-CD-EF", NTP: "additionalNTPSources: [ntp.example.com, '2001:db8::1']"},
    )
    inputs = loaded.valid_inputs()
    assert inputs.install.ssh_key == KEY
    assert inputs.agent.hosts[0].interfaces[0].mac_address == "52:54:00:ab:cd:ef"
    assert inputs.agent.additional_ntp_sources == ("ntp.example.com", "2001:db8::1")


def test_a_missing_field_is_found_where_it_should_be(load_edited: LoadEdited) -> None:
    finding = load_edited(agent={"      - name: eth0\n        macAddress": "      - macAddress"}).findings[0]
    assert (finding.path, finding.code) == ("hosts[0].interfaces[0].name", "field-missing")
    assert finding.excerpt.strip().startswith("- macAddress")
    assert finding.remedy == "Add it below hosts[0].interfaces[0]."


def test_an_unknown_field_names_the_known_ones_and_the_closest(load_edited: LoadEdited) -> None:
    loaded = load_edited(agent={"prefix-length: 24": "prefixlength: 24"})
    (finding,) = (finding for finding in loaded.findings if finding.code == "unknown-field")
    assert finding.remedy == "Did you mean `prefix-length`? Known here: ip, prefix-length."
    assert finding.excerpt.strip() == "prefixlength: 24"
    assert finding.excerpt[finding.column - 1 :].startswith("prefixlength")


def test_fields_without_meaning_are_warnings(load_edited: LoadEdited) -> None:
    loaded = load_edited(
        install={"replicas: 0 ": "hyperthreading: Disabled\n    replicas: 0 ", SSH: "publish: Internal\nfips: true"}
    )
    found = {finding.path: finding.severity for finding in loaded.findings}
    assert found["compute[0].hyperthreading"] is FindingSeverity.WARNING
    assert found["publish"] is FindingSeverity.WARNING
    assert found["fips"] is FindingSeverity.ERROR


def test_everything_wrong_in_both_files_is_found_at_once(load_edited: LoadEdited) -> None:
    loaded = load_edited(
        install={"name: site ": "name: SITE ", "cidr: 192.0.2.0/24": "cidr: 198.51.100.0/24"},
        agent={MAC: "macAddress: x", "role: master ": "roles: master "},
    )
    found = {finding.code for finding in loaded.findings}
    assert found >= {"cluster-name-invalid", "mac-invalid", "unknown-field", "rendezvous-outside-machine-network"}
    files = [finding.file for finding in loaded.findings]
    assert files == sorted(files, reverse=True), "install-config.yaml comes first"


def test_the_pull_secret_is_never_shown(load_edited: LoadEdited) -> None:
    loaded = load_edited(install={SSH: "pullSecret: 'hunter2 and more'"})
    assert loaded.findings
    assert "hunter2" not in repr(loaded.findings)
    with pytest.raises(ConfigurationError) as caught:
        loaded.valid_inputs()
    assert "hunter2" not in str(caught.value)


def test_the_pull_secret_is_not_shown_from_a_file_that_is_not_yaml(load_edited: LoadEdited) -> None:
    loaded = load_edited(install={SSH: "pullSecret: 'hunter2\n\t- : ["})
    assert loaded.inputs is None
    assert "hunter2" not in repr(loaded.findings)


def test_missing_files_are_two_findings(tmp_path: Path) -> None:
    findings = load_inputs(tmp_path).findings
    assert [(Path(finding.file).name, finding.code) for finding in findings] == [
        (INSTALL_CONFIG, "file-unreadable"),
        (AGENT_CONFIG, "file-unreadable"),
    ]


@pytest.mark.parametrize(
    ("content", "code", "line", "column"),
    [
        (b"\xff\xfea\0", "yaml-invalid", 1, 1),
        (b"a: 1\nb: \xe9\n", "yaml-invalid", 2, 4),
        (b"- a\n", "yaml-invalid", 1, 1),
        (b"just words\n", "yaml-invalid", 1, 1),
    ],
)
def test_files_of_another_kind_are_refused(tmp_path: Path, content: bytes, code: str, line: int, column: int) -> None:
    write_samples("sno", tmp_path)
    (tmp_path / AGENT_CONFIG).write_bytes(content)
    (finding,) = (finding for finding in load_inputs(tmp_path).findings if finding.file.endswith(AGENT_CONFIG))
    assert (finding.code, finding.line, finding.column) == (code, line, column)


def test_a_byte_order_mark_is_only_a_warning(tmp_path: Path) -> None:
    write_samples("sno", tmp_path)
    path = tmp_path / AGENT_CONFIG
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    loaded = load_inputs(tmp_path)
    assert [finding.code for finding in loaded.findings] == ["byte-order-mark"]
    assert loaded.inputs is not None


def test_a_directory_in_place_of_an_input_file_is_a_finding(tmp_path: Path) -> None:
    write_samples("sno", tmp_path)
    (tmp_path / AGENT_CONFIG).unlink()
    (tmp_path / AGENT_CONFIG).mkdir()
    (finding,) = load_inputs(tmp_path).findings
    assert (finding.code, finding.rule) == ("file-unreadable", "The file cannot be read: Is a directory.")
