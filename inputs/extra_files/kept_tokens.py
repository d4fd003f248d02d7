"""Tokens that an earlier `create image` left in `auth/`: the next one uses them again, for as long as they hold."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec

from inputs.auth_files import SECRETS
from inputs.document.findings import Finding, Severity


class _Identity(msgspec.Struct, frozen=True):
    token_lifetime_days: int


class _Kept(msgspec.Struct, frozen=True):
    """The part of `secrets.json` that says when its tokens end."""

    created_at: datetime
    identity: _Identity


def kept_tokens(auth: Path, now: datetime) -> Iterator[Finding]:
    """A warning where nine tenths of their time is over: the ISO has to travel, and somebody to come to the hosts.

    What cannot be read is for `create image` to explain.
    """
    try:
        kept = msgspec.json.decode((auth / SECRETS).read_bytes(), type=_Kept)
    except (OSError, msgspec.DecodeError):
        return
    lifetime = timedelta(days=kept.identity.token_lifetime_days)
    end = kept.created_at.astimezone(UTC) + lifetime
    if end > now + lifetime / 10:
        return
    yield Finding(
        file=str(auth / SECRETS), line=1, column=1, path="", value="", severity=Severity.WARNING, code="tokens-end",
        rule=f"Hosts can register with the tokens in {auth} until {end:%Y-%m-%d %H:%M} UTC only.",
        remedy="Make new credentials with `cluster0 create image --force`; hosts must then boot the new image.",
    )  # fmt: skip
