"""The Ignition config of the installed host, made from what this host is at this moment.

The network is copied as it was verified live. So is the identity of the host: name, machine id, SSH host keys. The
first boot of the disk is then an ordinary boot of a known host.
"""

from __future__ import annotations

import stat
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import msgspec

from agent.machine import Files
from agent.model.host_documents import Installed
from agent.model.host_paths import (
    CA_FILE,
    HOST_IGNITION_DIRECTORY,
    IGNITION_OVERRIDE_FILE,
    INSTALLED_FILE,
    INSTALLED_TOKEN_FILE,
    INTENT_FILE,
    LIVE_TOKEN_FILE,
    NODE0_DIRECTORY,
)
from agent.model.intent import ClusterIntent, HostIntent
from agent.model.problems import Problem
from agent.model.states import InstallRole
from ignition import compose, spec

LOGIN = "core"
NEEDED = ("/etc/machine-id", "/etc/hostname", "/etc/hosts", INTENT_FILE, CA_FILE, LIVE_TOKEN_FILE)
# Copied with their modes when there are any: globs below the root.
IDENTITY = (
    "etc/NetworkManager/system-connections/*.nmconnection",
    "etc/ssh/ssh_host_*_key*",
    "etc/chrony/sources.d/*.sources",
    "etc/systemd/system/containerd.service.d/*.conf",
    "etc/systemd/system/kubelet.service.d/*.conf",
    "etc/systemd/system/cluster0-agent.service.d/*.conf",
    "etc/containerd/certs.d/*/hosts.toml",
    "usr/local/share/ca-certificates/*.crt",
    "etc/keepalived/keepalived.conf",
)
NODE0_FILES = (f"{NODE0_DIRECTORY.lstrip('/')}/**/*",)
# Masked where the inputs disable SSH.
SSH_UNITS = ("ssh.service", "ssh.socket")
# Where a live system keeps a file under another name than the installed one.
RENAMED = {LIVE_TOKEN_FILE: INSTALLED_TOKEN_FILE}


def host_config(
    files: Files, intent: ClusterIntent, installed: Installed, overrides: Iterable[bytes] = ()
) -> spec.Config:
    """`overrides`: the user's configs as JSON; they override the generated config, a later one an earlier.

    Raises Problem `host-file-missing` when the live system lacks a file that an installed host cannot do without.
    """
    leads = installed.role is InstallRole.BOOTSTRAP
    sources = [*_needed(files), *_matching(files, IDENTITY), *(_matching(files, NODE0_FILES) if leads else ())]
    copies = {RENAMED.get(path, path): files.at(path) for path in sources}
    written = compose.file(INSTALLED_FILE, msgspec.json.format(msgspec.json.encode(installed)))
    return compose.config(
        files=[*(_copy(path, source) for path, source in copies.items()), written],
        directories=[compose.directory(NODE0_DIRECTORY, mode=0o700)] if leads else [],
        users=[compose.user(LOGIN, ssh_keys=intent.ssh_keys)],
        units=[] if intent.ssh_enabled else map(compose.masked, SSH_UNITS),
        merged=overrides,
    )


def user_overrides(files: Files, host: HostIntent | None) -> tuple[bytes, ...]:
    """The user's Ignition configs that came with the ISO, as JSON: that for every host, then that for `host`."""
    paths = [IGNITION_OVERRIDE_FILE, *([f"{HOST_IGNITION_DIRECTORY}/{host.hostname}.ign"] if host else [])]
    return tuple(files.at(path).read_bytes() for path in paths if files.at(path).is_file())


def _needed(files: Files) -> Iterator[str]:
    for path in NEEDED:
        if not files.at(path).is_file():
            raise Problem(
                code="host-file-missing",
                title=f"{path} is not there, so the installed host would lose its identity.",
                remedy="Boot this host from the ISO again; if it happens again, report it with this host's logs.",
            )
        yield path


def _matching(files: Files, globs: Sequence[str]) -> Iterator[str]:
    for pattern in globs:
        for path in sorted(files.root.glob(pattern)):
            if path.is_file():
                yield f"/{path.relative_to(files.root)}"


def _copy(path: str, source: Path) -> spec.File:
    return compose.file(path, source.read_bytes(), mode=stat.S_IMODE(source.stat().st_mode))
