"""`cluster0 wait-for` as a command: its first and last words, without anybody there."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from image_build.cli import main
from image_build.terminal.exit_codes import ExitCode
from image_build.trust.auth_directory import AuthDirectory
from image_build.trust.one_time import Identity, make
from tests.fakes import intents
from tests.fakes.node0 import free_port


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What `create image` leaves, for a node0 that is not there."""
    monkeypatch.setattr("image_build.remote.target.PORT", free_port())
    identity = Identity(name="demo", base_domain="example.com", rendezvous_ip="127.0.0.1", api_address="127.0.0.1")
    intent = msgspec.structs.replace(intents.intent(rendezvous_ip="127.0.0.1"), api_address="127.0.0.1")
    AuthDirectory(tmp_path / "auth").write(make(identity, datetime.now(UTC)), intent)
    (tmp_path / "rendezvousIP").write_text("127.0.0.1\n")
    return tmp_path


def test_the_deadline_is_told_first_and_the_problem_last(site: Path) -> None:
    arguments = ["wait-for", "install-complete", "--dir", str(site), "--timeout", "0.001", "-o", "json"]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == ExitCode.INFRASTRUCTURE
    first, *_, last = map(json.loads, result.stdout.splitlines())
    assert (first["kind"], first["schema"]) == ("started", 1)
    assert datetime.fromisoformat(first["deadline"]) > datetime.fromisoformat(first["time"])
    assert last["error"]["code"] == "wait-deadline"
