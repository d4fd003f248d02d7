"""The Ignition config: the table of files in docs/design/image.md, accepted by the real `ignition-validate`."""

from __future__ import annotations

import base64
import gzip
import json
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest

from agent.model.intent import ClusterIntent
from agent.model.problems import Problem
from image_build.cluster_iso.live_config import check, live_config
from image_build.credentials.fresh import make
from image_build.credentials.one_time import Identity, OneTimeData
from inputs.cluster_intent import cluster_intent
from inputs.load import load_inputs
from inputs.samples import write_samples

NOW = datetime(2026, 5, 6, 7, 8, 9, tzinfo=UTC)


@pytest.fixture(scope="module")
def secrets() -> OneTimeData:
    identity = Identity(name="site", base_domain="example.com", rendezvous_ip="192.0.2.10", api_address="192.0.2.10")
    return make(identity, NOW)


@pytest.fixture
def intent(tmp_path: Path, secrets: OneTimeData) -> ClusterIntent:
    write_samples("sno", tmp_path)
    intent = cluster_intent(
        load_inputs(tmp_path).valid_inputs(),
        cluster_id=secrets.cluster_id,
        infra_env_id="i",
        created_at=secrets.created_at,
    )
    return msgspec.structs.replace(intent, ntp_sources=("192.0.2.1", "ntp.example.com"), ssh_keys=("ssh-rsa AAAA me",))


def contents(file: dict[str, Any]) -> bytes:
    data = base64.b64decode(file["contents"]["source"].partition("base64,")[2])
    return gzip.decompress(data) if file["contents"].get("compression") else data


def test_the_live_config_has_each_file_with_its_mode(intent: ClusterIntent, secrets: OneTimeData) -> None:
    config = json.loads(live_config(intent, secrets))
    files = {file["path"]: file for file in config["storage"]["files"]}
    private = {path for path, file in files.items() if file["mode"] == 0o600}
    public = {"/etc/cluster0/cluster.json", "/etc/cluster0/ca.crt", "/etc/chrony/sources.d/cluster0.sources"}
    node0 = {
        "tls.crt", "tls.key", "token.key", "user.token", "watcher.token", "admin.conf", "pki/ca.crt", "pki/ca.key",
        "pki/front-proxy-ca.crt", "pki/front-proxy-ca.key", "pki/etcd/ca.crt", "pki/etcd/ca.key",
        "pki/sa.key", "pki/sa.pub",
    }  # fmt: skip
    assert private == {"/etc/cluster0/agent.token", *(f"/etc/cluster0/node0/{name}" for name in node0)}
    assert files.keys() - private == public
    assert msgspec.json.decode(contents(files["/etc/cluster0/cluster.json"]), type=ClusterIntent) == intent
    assert contents(files["/etc/cluster0/agent.token"]).decode() == secrets.agent_token
    sources = contents(files["/etc/chrony/sources.d/cluster0.sources"]).decode()
    assert sources == "server 192.0.2.1 iburst\nserver ntp.example.com iburst\n"
    assert config["passwd"]["users"] == [{"name": "core", "sshAuthorizedKeys": ["ssh-rsa AAAA me"]}]


def test_world_readable_files_of_the_live_config_have_no_secret(intent: ClusterIntent, secrets: OneTimeData) -> None:
    config = json.loads(live_config(intent, secrets))
    public = b"".join(contents(file) for file in config["storage"]["files"] if file["mode"] != 0o600)
    assert b"PRIVATE KEY" not in public
    assert secrets.user_token.encode() not in public


def test_without_ntp_and_ssh_nothing_is_written_for_them(intent: ClusterIntent, secrets: OneTimeData) -> None:
    without = msgspec.structs.replace(intent, ntp_sources=(), ssh_keys=())
    config = json.loads(live_config(without, secrets))
    assert not config.get("passwd")
    assert not any("chrony" in file["path"] for file in config["storage"]["files"])


def test_the_live_config_is_reproducible(intent: ClusterIntent, secrets: OneTimeData) -> None:
    assert live_config(intent, secrets) == live_config(intent, secrets)


def test_sshd_can_be_switched_off(intent: ClusterIntent, secrets: OneTimeData) -> None:
    without = msgspec.structs.replace(intent, ssh_enabled=False, ssh_keys=())
    units = json.loads(live_config(without, secrets))["systemd"]["units"]
    assert [(unit["name"], unit["mask"]) for unit in units] == [("ssh.service", True), ("ssh.socket", True)]
    assert json.loads(live_config(intent, secrets))["systemd"] == {}


def test_an_ignition_override_is_kept_for_ignition_to_merge(intent: ClusterIntent, secrets: OneTimeData) -> None:
    override = '{"ignition": {"version": "3.3.0"}}'
    (merged,) = json.loads(live_config(intent, secrets, override=override))["ignition"]["config"]["merge"]
    assert contents({"contents": merged}).decode() == override


def test_a_validator_that_hangs_is_a_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "ignition-validate"
    program.write_text("#!/bin/sh\nexec sleep 1000\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    with pytest.raises(Problem, match="command-timeout"):
        check(b"{}", timeout=0.1)
