"""`cluster0 status` while node0's service does not run: the reason, from a real sshd."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner, Result

from agent.model.host_documents import ClusterStatusFile
from agent.model.problems import ProblemReport
from cli.exit_codes import ExitCode
from cli.main import main
from client.remote.ssh import Login
from replay.site import make_site
from tests.fakes.client.auth_directory import write_directory
from tests.fakes.system.ssh import sshd

pytestmark = pytest.mark.integration

UNUSABLE = ProblemReport(code="key-unusable", title="The service cannot use\x1b[2J its key.", remedy="Make a new ISO.")


@pytest.fixture
async def login(tmp_path: Path) -> AsyncIterator[Login]:
    async with sshd(tmp_path) as login:
        yield login


@pytest.fixture
def console_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of node0's consoles; this machine is node0, and its service does not run."""
    with socket.create_server(("127.0.0.1", 0)) as unused:
        monkeypatch.setattr("client.remote.target.PORT", unused.getsockname()[1])
    file = tmp_path / "cluster-status.json"
    monkeypatch.setattr("client.status.service_problems.CLUSTER_STATUS_FILE", str(file))
    return file


def write_problem(console_file: Path) -> None:
    written = ClusterStatusFile(name="site", status="unknown", status_info="", problems=(UNUSABLE,))
    console_file.write_bytes(msgspec.json.encode(written))


async def status(tmp_path: Path, login: Login, monkeypatch: pytest.MonkeyPatch, *options: str) -> Result:
    directory = write_directory(make_site(tmp_path / "root"), tmp_path / "dir")
    monkeypatch.setattr("client.remote.ssh.Login", partial(Login, port=login.port))
    argv = ["status", "--dir", str(directory), "--user", login.user, "--ssh-key", str(login.key), *options]
    return await asyncio.to_thread(CliRunner().invoke, main, argv)


async def test_status_names_what_keeps_the_service_from_running(
    tmp_path: Path, login: Login, console_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_problem(console_file)
    shown = await status(tmp_path, login, monkeypatch)
    assert shown.exit_code == ExitCode.INFRASTRUCTURE
    assert "key-unusable: The service cannot use" in shown.stdout
    assert "→ Make a new ISO." in shown.stdout
    assert "\x1b[2J" not in shown.stdout


async def test_status_as_json_has_the_problems_of_the_service(
    tmp_path: Path, login: Login, console_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_problem(console_file)
    shown = json.loads((await status(tmp_path, login, monkeypatch, "-o", "json")).stdout)
    assert [problem["code"] for problem in shown["problems"]] == ["key-unusable"]


@pytest.mark.parametrize("content", [None, b"", b"{", b'{"name": 1}'], ids=["missing", "empty", "cut", "wrong"])
async def test_status_leaves_the_reason_out_where_node0_has_none(
    tmp_path: Path, login: Login, console_file: Path, content: bytes | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if content is not None:
        await asyncio.to_thread(console_file.write_bytes, content)
    shown = await status(tmp_path, login, monkeypatch, "-o", "json")
    assert (shown.exit_code, json.loads(shown.stdout)["problems"]) == (ExitCode.INFRASTRUCTURE, [])
