"""The extra files next to the two files: manifests, mirrors and CAs, each finding at its position."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from agent.model.payload import CniPlugins, Image, KubeadmApi, PayloadManifest, PayloadSource
from inputs.document.findings import Finding, FindingSeverity
from inputs.extra_files.manifests import MOST_BYTES, MOST_FILES
from inputs.extra_files.read import ExtraFiles, read_extra_files
from inputs.load import load_inputs
from inputs.samples import write_samples
from tests.fakes.system.tls import make_loopback_tls

POD = """\
# a pod
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  containers:
    - name: web
      image: registry.example.com/web:1
"""
SPACE = "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: site\n"


def read(directory: Path, files: dict[str, str]) -> tuple[ExtraFiles, tuple[Finding, ...]]:
    for name, content in files.items():
        (directory / name).parent.mkdir(exist_ok=True)
        (directory / name).write_text(content)
    return read_extra_files(directory)


def places(findings: tuple[Finding, ...]) -> list[tuple[int, int, str, str]]:
    return [(finding.line, finding.column, finding.path, finding.code) for finding in findings]


def test_extra_files_are_optional(tmp_path: Path) -> None:
    assert read_extra_files(tmp_path) == (ExtraFiles(), ())


def test_extra_manifests_are_kept_byte_for_byte(tmp_path: Path) -> None:
    extra_files, findings = read(tmp_path, {"manifests/a.yaml": f"{SPACE}---\n---\n{POD}"})
    assert findings == ()
    (manifest,) = extra_files.manifests
    assert manifest.content == f"{SPACE}---\n---\n{POD}"
    assert [(image.value, image.where) for image in manifest.images] == [
        ("registry.example.com/web:1", "spec.containers[0].image")
    ]


@pytest.mark.parametrize(
    ("content", "found"),
    [
        ("kind: Pod\nmetadata: {name: a}\n", [(1, 1, "apiVersion", "manifest-invalid")]),
        ("apiVersion: v1\nkind: 5\nmetadata: {name: a}\n", [(2, 7, "kind", "manifest-invalid")]),
        (f"{SPACE}---\napiVersion: v1\nkind: Pod\n", [(6, 1, "metadata.name", "manifest-invalid")]),
        ("apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n  namespace: A\n",
         [(5, 14, "metadata.namespace", "manifest-invalid")]),
        ("a: 1\n", [(1, 1, "", "manifest-invalid")]),
        ("- a\n", [(1, 1, "", "manifest-invalid")]),
        ("a: [\n", [(2, 1, "", "yaml-invalid")]),
        ("\n", [(1, 1, "", "manifest-empty")]),
        (f"{SPACE}  name: other\n", [(5, 3, "", "key-duplicate")]),
        (POD.replace("v1", "config.openshift.io/v1"), [(2, 13, "apiVersion", "openshift-only")]),
    ],
)  # fmt: skip
def test_each_mistake_in_an_extra_manifest_has_its_code(
    tmp_path: Path, content: str, found: list[tuple[int, int, str, str]]
) -> None:
    assert places(read(tmp_path, {"manifests/a.yaml": content})[1]) == found


def test_what_was_made_for_openshift_is_left_out_of_its_folder(tmp_path: Path) -> None:
    content = f"a: 1\n---\n{SPACE}---\napiVersion: machineconfiguration.openshift.io/v1\nkind: MachineConfig\n"
    extra_files, findings = read(tmp_path, {"openshift/a.yml": content})
    assert [finding.severity for finding in findings] == [FindingSeverity.WARNING, FindingSeverity.WARNING]
    assert [manifest.content for manifest in extra_files.manifests] == [f"---\n{SPACE}"]


def test_files_that_are_not_manifests_have_findings(tmp_path: Path) -> None:
    files = {"manifests/README": "x", "mirror/other": "x", "manifests/a.yaml": SPACE, "openshift/a.yaml": SPACE}
    _, findings = read(tmp_path, files)
    assert [(Path(finding.file).name, finding.code) for finding in findings] == [
        ("README", "file-ignored"), ("a.yaml", "manifest-twice"), ("other", "file-ignored"),
    ]  # fmt: skip


def test_more_or_larger_manifests_than_node0_stores_are_errors(tmp_path: Path) -> None:
    files = {f"manifests/{number:03}.yaml": SPACE for number in range(MOST_FILES + 1)}
    _, findings = read(tmp_path, {**files, "manifests/large.yaml": SPACE + "#" * MOST_BYTES})
    assert [(Path(finding.file).name, finding.code) for finding in findings] == [
        ("100.yaml", "too-many-manifests"), ("large.yaml", "manifest-too-large"),
    ]  # fmt: skip


def test_findings_in_extra_files_show_no_value_of_a_secret(tmp_path: Path) -> None:
    content = "apiVersion: v1\nkind: Secret\nmetadata: {}\nstringData: {a: hunter2, a: hunter2}\n"
    _, findings = read(tmp_path, {"manifests/a.yaml": content})
    assert len(findings) == 2
    assert "hunter2" not in repr(findings)


def test_an_image_that_is_not_carried_is_a_warning(tmp_path: Path) -> None:
    write_samples("sno", tmp_path)
    (tmp_path / "manifests").mkdir()
    (tmp_path / "manifests/a.yaml").write_text(
        POD + POD.replace("# a pod", "---").replace("image: registry.example.com/web:1", "image: shell")
    )
    loaded = load_inputs(tmp_path).checked_against(payload("docker.io/library/shell:latest"))
    (finding,) = (found for found in loaded.findings if found.code == "image-not-in-base-iso")
    assert (finding.line, finding.path, finding.severity) == (8, "spec.containers[0].image", FindingSeverity.WARNING)
    assert len(loaded.valid_inputs().extra_files.manifests) == 1


def payload(reference: str) -> PayloadManifest:
    return PayloadManifest(
        kubernetes_version="v1.20.2", source=PayloadSource.DEBIAN, kubeadm_api=KubeadmApi.V1BETA2,
        image_repository="registry.example", binaries=(), network_plugin="host-gateway", pause=reference,
        images=(Image(reference=reference, archive="", digest="", size=0),), etcd=reference,
        cni_plugins=CniPlugins.DEBIAN, packages=(),
    )  # fmt: skip


REGISTRIES = """\
unqualified-search-registries = ["docker.io"]

[[registry]]
prefix = ""
location = "quay.io/team"
mirror-by-digest-only = true
blocked = true

[[registry.mirror]]
location = "mirror.example.com:5000/quay/team"
insecure = true
"""


def test_registries_conf_is_read_as_containers_image_does(tmp_path: Path) -> None:
    extra_files, findings = read(tmp_path, {"mirror/registries.conf": REGISTRIES})
    assert findings == ()
    (source,) = extra_files.mirrors
    (mirror,) = source.mirrors
    assert (str(source.source), source.is_blocked) == ("quay.io/team", True)
    assert (str(mirror.repository), mirror.is_insecure, mirror.by_digest_only) == (
        "mirror.example.com:5000/quay/team", True, True,
    )  # fmt: skip


def test_a_mirror_may_be_for_digests_only(tmp_path: Path) -> None:
    content = REGISTRIES.replace("mirror-by-digest-only = true\n", "") + 'pull-from-mirror = "digest-only"\n'
    extra_files, findings = read(tmp_path, {"mirror/registries.conf": content})
    assert findings == ()
    assert extra_files.mirrors[0].mirrors[0].by_digest_only


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("blocked = true", "blocked = ", (7, 11, "", "toml-invalid")),
        ("blocked = true", "blockd = true", (7, 1, "registry[0].blockd", "unknown-field")),
        ("blocked = true", 'blocked = "yes"', (7, 1, "registry[0].blocked", "value-invalid")),
        ('"quay.io/team"', '"https://quay.io"', (5, 13, "registry[0].location", "repository-invalid")),
        ('prefix = ""', 'prefix = "docker.io"', (5, 13, "registry[0].location", "value-invalid")),
        ("5000/quay/team", "5000/other", (10, 13, "registry[0].mirror[0].location", "mirror-left-out")),
        (
            "insecure = true",
            'pull-from-mirror = "tag-only"',
            (11, 1, "registry[0].mirror[0].pull-from-mirror", "value-invalid"),
        ),
        ("[[registry.mirror]]", "[registry.mirror]", (9, 2, "registry[0].mirror", "value-invalid")),
    ],
)
def test_each_mistake_in_registries_conf_has_its_code(
    tmp_path: Path, old: str, new: str, found: tuple[int, int, str, str]
) -> None:
    assert places(read(tmp_path, {"mirror/registries.conf": REGISTRIES.replace(old, new)})[1]) == [found]


def test_a_mistake_in_registries_conf_names_its_table(tmp_path: Path) -> None:
    """The second table differs from the first in one letter."""
    content = REGISTRIES + REGISTRIES.partition("\n\n")[2].replace("true\n\n", "1\n\n").replace("insecure", "insecur")
    _, findings = read(tmp_path, {"mirror/registries.conf": content})
    assert places(findings) == [
        (16, 1, "registry[1].blocked", "value-invalid"),
        (20, 1, "registry[1].mirror[0].insecur", "unknown-field"),
    ]


def make_certificate(days: int, *, begins: int = -400, is_ca: bool = True) -> str:
    """A self-signed certificate, valid from `begins` to `days`, in days from now."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "site")])
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key()).serial_number(1)
        .not_valid_before(now + datetime.timedelta(days=begins)).not_valid_after(now + datetime.timedelta(days=days))
        .add_extension(x509.BasicConstraints(ca=is_ca, path_length=None), critical=True)
    )  # fmt: skip
    return certificate.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM).decode()


def test_expired_and_expiring_ca_certificates_are_findings(tmp_path: Path) -> None:
    good = make_certificate(1000)
    content = f"{good}{make_certificate(-1)}# comment\n{make_certificate(10)}{make_certificate(1000, is_ca=False)}"
    extra_files, findings = read(tmp_path, {"mirror/ca-bundle.crt": content})
    assert [(finding.code, finding.severity) for finding in findings] == [
        ("certificate-expired", FindingSeverity.ERROR),
        ("certificate-ends-soon", FindingSeverity.WARNING),
        ("certificate-no-ca", FindingSeverity.WARNING),
    ]
    lines = content.splitlines()
    assert {lines[finding.line - 1] for finding in findings} == {"-----BEGIN CERTIFICATE-----"}
    assert extra_files.certificates[0] == good


def test_a_certificate_that_is_not_valid_yet_is_a_warning(tmp_path: Path) -> None:
    content = make_certificate(1000, begins=1)
    _, (finding,) = read(tmp_path, {"mirror/ca-bundle.crt": content})
    assert (finding.code, finding.severity) == ("certificate-not-yet", FindingSeverity.WARNING)


def test_a_ca_bundle_without_a_certificate_is_a_finding(tmp_path: Path) -> None:
    (finding,) = read(tmp_path, {"mirror/ca-bundle.crt": "hello"})[1]
    assert finding.code == "certificate-invalid"


def test_a_damaged_ca_certificate_is_a_finding(tmp_path: Path) -> None:
    lines = make_loopback_tls(tmp_path).ca.read_text().splitlines()
    (finding,) = read(tmp_path, {"mirror/ca-bundle.crt": "\n".join([lines[0], lines[1], lines[-1]])})[1]
    assert (finding.line, finding.code) == (1, "certificate-invalid")
