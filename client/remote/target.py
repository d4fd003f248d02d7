"""The cluster that a command works on: what `create image` wrote into DIR."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from pathlib import Path

import msgspec

from agent.api.operations import PORT
from agent.model.intent import ClusterIntent
from agent.model.problems import Problem
from cli.cluster_directory import AUTH, INTENT, KUBECONFIG, NODE0_CA, RENDEZVOUS_IP, USER_TOKEN, WATCHER_TOKEN


@dataclass(frozen=True)
class Target:
    """`address`: node0's. `token`: of role watcher; `user_token`: of role user. `directory`: DIR."""

    address: str
    ca: Path
    token: str
    kubeconfig: Path
    intent: ClusterIntent
    user_token: str = ""
    port: int = PORT
    directory: Path = Path()

    @property
    def api_name(self) -> str:
        """The Kubernetes API's name in the operator's DNS, which may not have it."""
        return f"api.{self.intent.domain}"


def read_target(directory: Path) -> Target:
    """Problem `image-not-made`: `create image` has not run here, or its results are incomplete."""
    auth = directory / AUTH
    try:
        return Target(
            address=str(ipaddress.ip_address((directory / RENDEZVOUS_IP).read_text().strip())),
            ca=_existing(auth / NODE0_CA),
            token=(auth / WATCHER_TOKEN).read_text().strip(),
            user_token=(auth / USER_TOKEN).read_text().strip(),
            kubeconfig=_existing(auth / KUBECONFIG),
            intent=msgspec.json.decode((auth / INTENT).read_bytes(), type=ClusterIntent),
            port=PORT,  # read now: a test's node0 is at another
            directory=directory,
        )
    except (OSError, ValueError, msgspec.DecodeError) as error:
        raise Problem(
            code="image-not-made",
            title=f"{directory} does not hold the results of `cluster0 create image`.",
            detail=f"{error.filename}: {error.strerror}" if isinstance(error, OSError) else str(error),
            remedy="Make them with `cluster0 create image`, or name with --dir the directory in which that was done.",
        ) from error


def _existing(path: Path) -> Path:
    path.stat()
    return path
