"""The Ignition config that every host of the cluster boots with; docs/design/image.md lists its files."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Iterator

import msgspec

from agent.install.host_config import SSH_UNITS
from agent.model.host_paths import AGENT_TOKEN_FILE, CA_FILE, INTENT_FILE, NODE0_DIRECTORY
from agent.model.intent import ClusterIntent
from agent.model.problems import Problem
from ignition import compose, spec
from ignition.validate import validate
from image_build.credentials.one_time import CertifiedKey, OneTimeData

LOGIN_USER = "core"
NTP_SOURCES_FILE = "/etc/chrony/sources.d/cluster0.sources"


def live_config(
    intent: ClusterIntent, secrets: OneTimeData, site: Iterable[spec.File] = (), override: str = ""
) -> bytes:
    """The config as JSON; the same arguments give the same bytes. Accepted by the real `ignition-validate`.

    `site`: more files (`site_files`). `override`: the user's own config, JSON; it overrides the generated config.

    Problem: `program-missing`, `command-timeout`. Findings of `ignition-validate` are bugs of ours: ValueError.
    """
    config = compose.config(
        files=[*_public_files(intent, secrets), *_secret_files(secrets), *site],
        directories=[compose.directory(NODE0_DIRECTORY, mode=0o700)],
        users=[compose.user(LOGIN_USER, ssh_keys=intent.ssh_keys)] if intent.ssh_keys else [],
        units=[] if intent.ssh_enabled else map(compose.masked, SSH_UNITS),
        merged=[override.encode()] if override else [],
    )
    document = compose.encode(config)
    check(document)
    return document


def _public_files(intent: ClusterIntent, secrets: OneTimeData) -> Iterator[spec.File]:
    yield compose.file(INTENT_FILE, msgspec.json.format(msgspec.json.encode(intent), indent=1))
    yield compose.file(CA_FILE, secrets.node0_ca.certificate)
    if intent.ntp_sources:
        yield compose.file(NTP_SOURCES_FILE, _chrony_sources(intent.ntp_sources))


def _secret_files(secrets: OneTimeData) -> Iterator[spec.File]:
    yield compose.file(AGENT_TOKEN_FILE, secrets.agent_token, mode=0o600)
    for name, content in _node0_files(secrets).items():
        yield compose.file(f"{NODE0_DIRECTORY}/{name}", content, mode=0o600)


def _node0_files(secrets: OneTimeData) -> dict[str, str]:
    keys = secrets.kubernetes
    return {
        **_pair("tls", secrets.node0_tls),
        "token.key": secrets.token_key,
        "user.token": secrets.user_token,
        "watcher.token": secrets.watcher_token,
        **_pair("pki/ca", keys.ca),
        **_pair("pki/front-proxy-ca", keys.front_proxy_ca),
        **_pair("pki/etcd/ca", keys.etcd_ca),
        "pki/sa.key": keys.sa_key,
        "pki/sa.pub": keys.sa_pub,
        "admin.conf": secrets.admin_kubeconfig,
    }


def _pair(name: str, pair: CertifiedKey) -> dict[str, str]:
    return {f"{name}.crt": pair.certificate, f"{name}.key": pair.key}


def _chrony_sources(sources: Iterable[str]) -> str:
    return "".join(f"server {source} iburst\n" for source in sources)


def check(document: bytes, *, timeout: float = 30.0) -> None:
    """Raises as `live_config` does."""
    try:
        findings = validate(document, timeout=timeout)
    except FileNotFoundError as error:
        raise Problem(
            code="program-missing",
            title="ignition-validate is not installed; it checks the configuration before it goes into the ISO.",
            remedy="Install it: apt-get install ignition",
        ) from error
    except subprocess.TimeoutExpired as late:
        raise Problem(
            code="command-timeout",
            title=f"ignition-validate has not answered within {late.timeout:g} s.",
            remedy="Run the command again; if it hangs again, reinstall it: apt-get install --reinstall ignition",
        ) from late
    if findings:
        raise ValueError("; ".join(map(str, findings)))
