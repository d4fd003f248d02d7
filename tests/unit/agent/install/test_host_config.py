"""The files that the installed host gets from the live host; files that only the ISO needs are left out."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from agent.install.host_config import host_config
from agent.machine import Files
from agent.model.host_documents import Installed
from agent.model.host_paths import INSTALLED_FILE
from agent.model.problems import Problem
from agent.model.states import InstallRole
from ignition import spec
from tests.fakes.inputs.intents import CLUSTER_ID, INFRA_ENV_ID, intent

LIVE = {
    "/etc/machine-id": 0o444,
    "/etc/hostname": 0o644,
    "/etc/hosts": 0o644,
    "/etc/cluster0/cluster.json": 0o644,
    "/etc/cluster0/ca.crt": 0o644,
    "/etc/cluster0/agent.token": 0o600,
    "/run/cluster0/host.token": 0o600,
    "/etc/NetworkManager/system-connections/eth0.nmconnection": 0o600,
    "/etc/ssh/ssh_host_ed25519_key": 0o600,
    "/etc/ssh/ssh_host_ed25519_key.pub": 0o644,
    "/etc/ssh/sshd_config": 0o644,
    "/etc/chrony/sources.d/cluster0.sources": 0o644,
    "/etc/cluster0/node0/tls.key": 0o600,
    "/etc/cluster0/node0/pki/etcd/ca.key": 0o600,
}
ALWAYS = {
    "/etc/NetworkManager/system-connections/eth0.nmconnection": 0o600,
    "/etc/chrony/sources.d/cluster0.sources": 0o644,
    "/etc/cluster0/ca.crt": 0o644,
    "/etc/cluster0/cluster.json": 0o644,
    "/etc/cluster0/host.token": 0o600,
    "/etc/cluster0/installed.json": 0o644,
    "/etc/hostname": 0o644,
    "/etc/hosts": 0o644,
    "/etc/machine-id": 0o444,
    "/etc/ssh/ssh_host_ed25519_key": 0o600,
    "/etc/ssh/ssh_host_ed25519_key.pub": 0o644,
}
NODE0 = {"/etc/cluster0/node0/tls.key": 0o600, "/etc/cluster0/node0/pki/etcd/ca.key": 0o600}


@pytest.fixture
def live(tmp_path: Path) -> Files:
    files = Files(tmp_path)
    for path, mode in LIVE.items():
        files.write(path, f"content of {path}", mode=mode)
    return files


SITE = (
    "/etc/systemd/system/containerd.service.d/cluster0-proxy.conf",
    "/etc/systemd/system/kubelet.service.d/cluster0-proxy.conf",
    "/etc/systemd/system/cluster0-agent.service.d/cluster0-proxy.conf",
    "/etc/containerd/certs.d/registry.example.com/hosts.toml",
    "/usr/local/share/ca-certificates/cluster0-1.crt",
    "/etc/keepalived/keepalived.conf",
)


def installed(role: InstallRole) -> Installed:
    return Installed(cluster_id=CLUSTER_ID, infra_env_id=INFRA_ENV_ID, host_id="1", role=role, boot_device="/dev/vda")


def modes(config: spec.Config) -> dict[str, int]:
    return {file.path: file.mode for file in config.storage.files}


def test_a_workers_disk_config_has_no_secret_of_node0(live: Files) -> None:
    assert modes(host_config(live, intent(), installed(InstallRole.WORKER))) == ALWAYS


def test_the_disk_config_has_the_sites_files(live: Files) -> None:
    for path in SITE:
        live.write(path, path)
    assert modes(host_config(live, intent(), installed(InstallRole.WORKER))) == ALWAYS | dict.fromkeys(SITE, 0o644)


def test_node0s_disk_config_has_its_keys(live: Files) -> None:
    assert modes(host_config(live, intent(), installed(InstallRole.BOOTSTRAP))) == ALWAYS | NODE0


def test_the_disk_config_has_the_ssh_keys_of_the_intent(live: Files) -> None:
    with_key = msgspec.structs.replace(intent(), ssh_keys=("ssh-ed25519 AAAA me",))
    (user,) = host_config(live, with_key, installed(InstallRole.MASTER)).passwd.users
    assert (user.name, user.ssh_authorized_keys) == ("core", ("ssh-ed25519 AAAA me",))


def test_the_disk_config_has_the_record_of_the_installed_host(live: Files) -> None:
    config = host_config(live, intent(), installed(InstallRole.MASTER))
    assert INSTALLED_FILE in modes(config)


@pytest.mark.parametrize("path", ["/etc/machine-id", "/run/cluster0/host.token"])
def test_a_host_without_an_identity_gets_no_disk_config(live: Files, path: str) -> None:
    live.at(path).unlink()
    with pytest.raises(Problem, match="is not there") as caught:
        host_config(live, intent(), installed(InstallRole.MASTER))
    assert caught.value.code == "host-file-missing"
    assert path in caught.value.title


def test_ssh_that_is_switched_off_is_masked_on_the_disk(live: Files) -> None:
    assert host_config(live, intent(), installed(InstallRole.MASTER)).systemd.units == ()
    without = msgspec.structs.replace(intent(), ssh_enabled=False)
    units = host_config(live, without, installed(InstallRole.MASTER)).systemd.units
    assert [(unit.name, unit.mask) for unit in units] == [("ssh.service", True), ("ssh.socket", True)]


def test_the_disk_config_has_containerds_proxy(live: Files) -> None:
    path = "/etc/systemd/system/containerd.service.d/10-proxy.conf"
    live.write(path, "[Service]\n", mode=0o600)
    assert modes(host_config(live, intent(), installed(InstallRole.WORKER))) == ALWAYS | {path: 0o600}
