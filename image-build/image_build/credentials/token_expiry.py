"""A warning when the registration tokens in `DIR/auth` expire soon: the next `create image` uses them again."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec

from cli.cluster_directory import SECRETS
from inputs.document.findings import Finding, FindingSeverity


class _Identity(msgspec.Struct, frozen=True):
    token_lifetime_days: int


class _KeptSecrets(msgspec.Struct, frozen=True):
    """The part of `secrets.json` from which the expiry of its tokens follows."""

    created_at: datetime
    identity: _Identity


def token_expiry(auth: Path, now: datetime) -> Iterator[Finding]:
    """A warning in the last tenth of the tokens' lifetime: the ISO still has to reach the site and boot there.

    Missing or damaged files give no finding: `create image` explains them.
    """
    try:
        kept = msgspec.json.decode((auth / SECRETS).read_bytes(), type=_KeptSecrets)
    except (OSError, msgspec.DecodeError):
        return
    lifetime = timedelta(days=kept.identity.token_lifetime_days)
    end = kept.created_at.astimezone(UTC) + lifetime
    if end > now + lifetime / 10:
        return
    yield Finding(
        file=str(auth / SECRETS), line=1, column=1, path="", value="", code="tokens-end",
        severity=FindingSeverity.WARNING,
        rule=f"The tokens in {auth} expire at {end:%Y-%m-%d %H:%M} UTC; no host can register after that.",
        remedy="Create new credentials with `cluster0 create image --force`; hosts must then boot the new image.",
    )  # fmt: skip
