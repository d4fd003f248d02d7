"""`auth/`: reused by later builds, readable by its owner only, refused for another cluster."""

from __future__ import annotations

import stat
from datetime import UTC, datetime
from pathlib import Path

import pytest

from agent.model.intent import ClusterIntent
from agent.model.problems import Problem
from image_build.credentials.auth_directory import AuthDirectory
from image_build.credentials.one_time import Identity, OneTimeData
from inputs.cluster_intent import cluster_intent
from inputs.load import load_inputs
from inputs.samples import write_samples

NOW = datetime(2026, 5, 6, 7, 8, 9, tzinfo=UTC)
SITE = Identity(name="site", base_domain="example.com", rendezvous_ip="192.0.2.10", api_address="192.0.2.10")
OTHER = Identity(name="other", base_domain="example.com", rendezvous_ip="192.0.2.10", api_address="192.0.2.10")


@pytest.fixture
def auth(tmp_path: Path) -> AuthDirectory:
    return AuthDirectory(tmp_path / "auth")


@pytest.fixture
def intent(tmp_path: Path) -> ClusterIntent:
    write_samples("sno", tmp_path)
    return cluster_intent(load_inputs(tmp_path).valid_inputs(), cluster_id="c", infra_env_id="i", created_at="")


@pytest.fixture
def kept(auth: AuthDirectory, intent: ClusterIntent) -> OneTimeData:
    data = auth.obtain(SITE, now=NOW, force=False)
    auth.write(data, intent)
    return data


def test_the_auth_directory_is_readable_by_its_owner_only(auth: AuthDirectory, kept: OneTimeData) -> None:
    assert stat.S_IMODE(auth.path.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in auth.path.iterdir()} == {0o600}
    assert {path.name for path in auth.path.iterdir()} == {
        "kubeconfig", "ca.crt", "user.token", "watcher.token", "cluster.json", "secrets.json",
    }  # fmt: skip
    assert (auth.path / "kubeconfig").read_text() == kept.admin_kubeconfig


def test_the_same_cluster_gets_the_same_secrets(auth: AuthDirectory, kept: OneTimeData) -> None:
    assert auth.obtain(SITE, now=NOW, force=False) == kept


def test_existing_credentials_are_not_overwritten(
    auth: AuthDirectory, kept: OneTimeData, intent: ClusterIntent
) -> None:
    written = {path.name: path.stat().st_ino for path in auth.path.iterdir()}
    (auth.path / "kubeconfig").chmod(0o644)
    (auth.path / "ca.crt").write_text("another")
    (auth.path / "user.token").unlink()
    auth.write(kept, intent)
    assert stat.S_IMODE((auth.path / "kubeconfig").stat().st_mode) == 0o600
    assert (auth.path / "ca.crt").read_text() == kept.node0_ca.certificate
    assert (auth.path / "user.token").read_text() == kept.user_token
    for name in ("secrets.json", "watcher.token", "cluster.json"):
        assert (auth.path / name).stat().st_ino == written[name]


def test_obtaining_credentials_writes_nothing(auth: AuthDirectory) -> None:
    auth.obtain(SITE, now=NOW, force=False)
    assert not auth.path.exists()


@pytest.mark.usefixtures("kept")
def test_an_auth_directory_of_another_cluster_is_refused(auth: AuthDirectory) -> None:
    with pytest.raises(Problem, match="auth-of-another-cluster") as caught:
        auth.obtain(OTHER, now=NOW, force=False)
    assert "site.example.com" in caught.value.detail
    assert auth.obtain(OTHER, now=NOW, force=True).identity == OTHER


def test_a_foreign_kubeconfig_is_refused(auth: AuthDirectory) -> None:
    auth.path.mkdir()
    (auth.path / "kubeconfig").write_text("another cluster's")
    with pytest.raises(Problem, match="auth-of-another-cluster"):
        auth.obtain(SITE, now=NOW, force=False)


@pytest.mark.usefixtures("kept")
def test_expired_tokens_are_not_built_in(auth: AuthDirectory) -> None:
    with pytest.raises(Problem, match="tokens-expired"):
        auth.obtain(SITE, now=NOW + SITE.token_lifetime, force=False)


@pytest.mark.parametrize("content", ["", "{", '{"schema": 1}', '{"token_key": 5}'])
def test_damaged_secrets_are_a_problem_without_their_content(
    auth: AuthDirectory, kept: OneTimeData, content: str
) -> None:
    (auth.path / "secrets.json").write_text(content)
    with pytest.raises(Problem, match="auth-damaged") as caught:
        auth.obtain(SITE, now=NOW, force=False)
    assert kept.token_key not in str(caught.value)
