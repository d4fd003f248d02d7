"""Tokens of an earlier image: a warning before they expire."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest

from image_build.credentials.token_expiry import token_expiry
from inputs.document.findings import FindingSeverity

NOW = datetime(2026, 5, 1, tzinfo=UTC)


@pytest.fixture
def auth(tmp_path: Path) -> Path:
    kept = {"created_at": "2026-04-03T12:00:00+00:00", "identity": {"token_lifetime_days": 30}, "token_key": "hunter2"}
    (tmp_path / "secrets.json").write_bytes(msgspec.json.encode(kept))
    return tmp_path


def test_a_warning_says_when_the_tokens_expire(auth: Path) -> None:
    (finding,) = token_expiry(auth, NOW)
    assert (finding.code, finding.severity) == ("tokens-end", FindingSeverity.WARNING)
    assert "2026-05-03 12:00 UTC" in finding.rule


def test_no_warning_before_the_last_tenth_of_their_lifetime(auth: Path) -> None:
    assert list(token_expiry(auth, NOW - timedelta(days=10))) == []


def test_damaged_secrets_give_no_warning(auth: Path) -> None:
    (auth / "secrets.json").write_text("{")
    assert list(token_expiry(auth, NOW)) == []
