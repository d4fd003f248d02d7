"""`cluster0 wait-for` as a command: its first and last line when no host answers."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path

import pytest
from click.testing import CliRunner

from cli.exit_codes import ExitCode
from cli.main import main
from replay.programs import free_port
from replay.site import make_site
from tests.fakes.client.auth_directory import write_directory


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The directory of a site whose node0 does not run."""
    monkeypatch.setattr("client.remote.target.PORT", free_port())
    return write_directory(make_site(tmp_path / "root"), tmp_path / "dir")


def test_the_deadline_is_printed_first_and_the_problem_last(directory: Path) -> None:
    arguments = [
        "wait-for",
        "install-complete",
        "--dir",
        str(directory),
        "--timeout",
        "0.001",
        "--no-gather",
        "-o",
        "json",
    ]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == ExitCode.INFRASTRUCTURE
    first, *_, last = map(json.loads, result.stdout.splitlines())
    assert (first["kind"], first["schema"]) == ("started", 1)
    assert datetime.fromisoformat(first["deadline"]) > datetime.fromisoformat(first["time"])
    assert last["error"]["code"] == "wait-deadline"
