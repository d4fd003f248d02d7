"""`DIR/auth`: the operator's credentials, and the secrets that make the same image again.

`secrets.json` holds all one-time data, and later runs read only that; the other files are copies for people and
programs. `cluster.json` is not secret: it is the intent in the ISO, so that `wait-for` knows the hosts even after the
inputs were edited. Only the owner can read the directory.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from agent.machine.files import Files
from agent.model.intent import ClusterIntent
from agent.model.problems import Problem
from cli.cluster_directory import INTENT, KUBECONFIG, NODE0_CA, SECRETS, USER_TOKEN, WATCHER_TOKEN
from image_build.credentials.one_time import Identity, OneTimeData


@dataclass(frozen=True)
class AuthDirectory:
    """`path` need not exist yet."""

    path: Path

    def obtain(self, identity: Identity, *, now: datetime, force: bool) -> OneTimeData:
        """The one-time data kept for this cluster, or new data; writes nothing.

        `force`: always new data. Problem: `auth-of-another-cluster`, `auth-damaged`, `tokens-expired`.
        """
        kept = None if force else self._kept()
        if kept is None:
            # Imports cryptography, which takes as long as everything else that a second run does with `auth/`.
            from image_build.credentials.fresh import make

            return make(identity, now)
        if kept.identity != identity:
            raise self._foreign(f"It holds the credentials of {kept.identity}; the inputs describe {identity}.")
        if kept.tokens_expire <= now:
            raise self._expired(kept.tokens_expire)
        return kept

    def write(self, data: OneTimeData, intent: ClusterIntent) -> None:
        """All files of mode 0600; `secrets.json` first: after an interruption the next run writes the rest from it."""
        self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.path.chmod(0o700)
        contents = {
            SECRETS: msgspec.json.format(msgspec.json.encode(data), indent=1),
            KUBECONFIG: data.admin_kubeconfig.encode(),
            NODE0_CA: data.node0_ca.certificate.encode(),
            USER_TOKEN: data.user_token.encode(),
            WATCHER_TOKEN: data.watcher_token.encode(),
            INTENT: msgspec.json.encode(intent),
        }
        for name, content in contents.items():
            if not self._is_there(name, content):  # a write waits for the disk, which the copy of the ISO keeps busy
                Files(self.path).write(name, content, mode=0o600)

    def _is_there(self, name: str, content: bytes) -> bool:
        path = self.path / name
        return path.is_file() and path.stat().st_mode & 0o777 == 0o600 and path.read_bytes() == content

    def _kept(self) -> OneTimeData | None:
        secrets = self.path / SECRETS
        try:
            return msgspec.json.decode(secrets.read_bytes(), type=OneTimeData)
        except FileNotFoundError:
            if (self.path / KUBECONFIG).exists():
                raise self._foreign(f"There is a {KUBECONFIG}, but no {SECRETS} that names its cluster.") from None
            return None
        except (OSError, msgspec.DecodeError) as error:
            raise Problem(
                code="auth-damaged",
                title=f"{secrets} cannot be used: {_without_values(error)}",
                remedy="Restore it, or make new credentials with --force; they replace those of an earlier image.",
            ) from None

    def _foreign(self, why: str) -> Problem:
        return Problem(
            code="auth-of-another-cluster",
            title=f"{self.path} belongs to another cluster, and would be overwritten.",
            detail=why,
            remedy="Use another --dir, or --force to replace the credentials; an earlier image needs the old ones.",
        )

    def _expired(self, end: datetime) -> Problem:
        return Problem(
            code="tokens-expired",
            title=f"The tokens in {self.path} expired at {end.astimezone(UTC):%Y-%m-%d %H:%M} UTC.",
            remedy="Make new credentials with --force; hosts must then boot the new image.",
        )


def _without_values(error: Exception) -> str:
    """The text of `error`, which never contains file content."""
    return (error.strerror or "unreadable") if isinstance(error, OSError) else str(error)
