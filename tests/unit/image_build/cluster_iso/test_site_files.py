"""The user's own files: their paths in the live system, and their modes."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent.model.intent import ClusterIntent
from image_build.cluster_iso.mirrors import hosts_files
from image_build.cluster_iso.site_files import site_files
from inputs.cluster_intent import cluster_intent
from inputs.load import AGENT_CONFIG, INSTALL_CONFIG, Inputs, load_inputs
from inputs.samples import write_samples
from inputs.schema.registries import Mirror, MirroredSource, Repository, repository
from tests.fakes.system.tls import make_loopback_tls

OVERRIDE = (
    '{"ignition":{"version":"3.3.0"},"storage":{"files":[{"path":"/etc/x","contents":{"source":"data:,hunter2"}}]}}'
)


@pytest.fixture
def site(tmp_path: Path) -> Path:
    directory = tmp_path / "site"
    write_samples("sno", directory)
    return directory


def loaded(site: Path, install: str = "", agent: str = "") -> tuple[Inputs, ClusterIntent]:
    for name, text in ((INSTALL_CONFIG, install), (AGENT_CONFIG, agent)):
        (site / name).write_text(f"{(site / name).read_text()}\n{text}\n")
    inputs = load_inputs(site).valid_inputs()
    return inputs, cluster_intent(inputs, cluster_id="c", infra_env_id="i", created_at="2026-05-06T00:00:00Z")


def modes(inputs: Inputs, intent: ClusterIntent) -> dict[str, int]:
    return {file.path: file.mode for file in site_files(inputs, intent)}


def test_without_cas_and_mirrors_no_site_file_is_written(site: Path) -> None:
    assert modes(*loaded(site)) == {}


def test_the_proxy_file_is_readable_by_root_alone(site: Path) -> None:
    inputs, intent = loaded(site, install="proxy: {httpProxy: 'http://u:hunter2@192.0.2.9:3128'}")
    units = ("containerd", "kubelet", "cluster0-agent")
    assert modes(inputs, intent) == {f"/etc/systemd/system/{unit}.service.d/10-proxy.conf": 0o600 for unit in units}


def test_manifests_and_overrides_are_readable_by_root_alone(site: Path) -> None:
    (site / "manifests").mkdir()
    (site / "manifests/a.yaml").write_text("{apiVersion: v1, kind: Namespace, metadata: {name: a}}")
    inputs, intent = loaded(site, agent=f"ignitionConfigOverride: '{OVERRIDE}'")
    host = inputs.agent.hosts[0].model_copy(update={"ignition_config_override": OVERRIDE})
    inputs = Inputs(inputs.install, inputs.agent.model_copy(update={"hosts": (host,)}), inputs.extra_files)
    assert modes(inputs, intent) == {
        "/etc/cluster0/node0/manifests/manifests/a.yaml": 0o600,
        "/etc/cluster0/ignition/cluster.ign": 0o600,
        f"/etc/cluster0/ignition/hosts/{intent.hosts[0].hostname}.ign": 0o600,
    }


def test_cas_of_both_inputs_are_one_file_each_and_deduplicated(site: Path, tmp_path: Path) -> None:
    first, second = (make_ca(tmp_path / name) for name in ("one", "two"))
    (site / "mirror").mkdir()
    (site / "mirror/ca-bundle.crt").write_text(f"# ours\n{first}{second}")
    indented = first.replace("\n", "\n  ")
    inputs, intent = loaded(site, install=f"additionalTrustBundle: |\n  {indented}")
    directory = "/usr/local/share/ca-certificates"
    assert modes(inputs, intent) == {f"{directory}/cluster0-1.crt": 0o644, f"{directory}/cluster0-2.crt": 0o644}


def make_ca(directory: Path) -> str:
    directory.mkdir()
    return make_loopback_tls(directory).ca.read_text()


def test_mirrors_of_both_inputs_are_hosts_of_containerd(site: Path) -> None:
    (site / "mirror").mkdir()
    (site / "mirror/registries.conf").write_text(
        '[[registry]]\nlocation = "quay.io"\n[[registry.mirror]]\nlocation = "m.example.com/quay"\n'
    )
    inputs, intent = loaded(
        site, install="imageDigestSources: [{source: registry.k8s.io, mirrors: ['m.example.com:5000']}]"
    )
    certs = "/etc/containerd/certs.d"
    assert modes(inputs, intent) == {f"{certs}/quay.io/hosts.toml": 0o644, f"{certs}/registry.k8s.io/hosts.toml": 0o644}


def named(text: str) -> Repository:
    found = repository(text)
    assert found is not None
    return found


def mirrored(source: str, *mirrors: Mirror, is_blocked: bool = False) -> MirroredSource:
    return MirroredSource(named(source), mirrors, is_blocked)


def at(text: str, **flags: bool) -> Mirror:
    return Mirror(named(text), **flags)


def toml(*sources: MirroredSource) -> str:
    (content,) = hosts_files(sources).values()
    return content


def test_the_registry_itself_comes_last() -> None:
    assert toml(mirrored("docker.io/library", at("m.example.com:5000/library"))) == (
        'server = "https://registry-1.docker.io"\n\n'
        '[host."https://m.example.com:5000"]\n  capabilities = ["pull", "resolve"]\n'
    )


def test_a_blocked_registry_is_never_contacted() -> None:
    content = toml(mirrored("quay.io", at("a.example.com"), at("b.example.com/quay"), is_blocked=True))
    assert content.startswith('server = "https://quay.io"\ncapabilities = ["push"]\n\n[host."https://a.example.com"]\n')
    assert content.endswith('capabilities = ["pull", "resolve"]\n  override_path = true\n')
    assert "push" in toml(mirrored("quay.io", is_blocked=True))


def test_an_insecure_mirror_is_tried_with_tls_first() -> None:
    content = toml(mirrored("quay.io", at("m.example.com", is_insecure=True, by_digest_only=True)))
    assert content.index('"https://m.example.com"') < content.index('"http://m.example.com"')
    assert content.count("skip_verify = true") == 1
    assert content.count('capabilities = ["pull"]') == 2


def test_repositories_of_one_registry_share_a_file() -> None:
    content = toml(mirrored("quay.io/a", at("m.example.com/a")), mirrored("quay.io/b", at("n.example.com/x/b")))
    assert [line for line in content.splitlines() if line.startswith("[host")] == [
        '[host."https://m.example.com"]',
        '[host."https://n.example.com/v2/x"]',
    ]
