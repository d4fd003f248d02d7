"""The `cluster0` command: help, exit codes, messages of failures."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from agent.api.hosts import Host
from agent.machine.files import Files
from agent.model.problems import Problem
from agent.model.states import HostStatus
from cli.exit_codes import ExitCode
from cli.lazy_group import Lazy
from cli.main import COMMANDS, main
from inputs.samples import write_samples
from replay.site import make_site
from tests.fakes.client.auth_directory import write_directory


def call(*arguments: str) -> Result:
    return CliRunner().invoke(main, list(arguments), prog_name="cluster0")


def call_raising(monkeypatch: pytest.MonkeyPatch, error: BaseException, *arguments: str) -> Result:
    """Calls `cluster0 validate` with a stand-in that raises `error`."""
    from cli.options import Output, output_option

    @click.command()
    @output_option
    def raise_error(output: Output) -> None:
        raise error

    monkeypatch.setattr(Lazy, "load", lambda _self: raise_error)
    return call("validate", *arguments)


PROBLEM = Problem(code="no-space", title="The disk is full.", detail="1 MiB free", remedy="Free some space.")


def test_help_lists_every_command() -> None:
    result = call("--help")
    assert result.exit_code == 0
    assert all(f"\n  {name} " in result.stdout for name in COMMANDS)
    assert "130 interrupted" in result.stdout


@pytest.mark.parametrize("command", [["validate"], ["create"], ["create", "image"], ["create", "config"], ["wait-for"]])
def test_every_command_explains_itself(command: list[str]) -> None:
    result = call(*command, "--help")
    assert result.exit_code == 0
    assert "Usage: cluster0" in result.stdout


def test_start_up_imports_nothing_heavy() -> None:
    heavy = ("pydantic", "cryptography", "aiohttp", "rich", "yaml", "msgspec", "jwt", "kubernetes")
    code = (
        "import sys; from click.testing import CliRunner; from cli.main import main;"
        f"CliRunner().invoke(main, ['--help']); print([name for name in {heavy!r} if name in sys.modules])"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    begin = time.process_time()
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True)
    assert ended.stdout.strip() == "[]"
    assert time.process_time() - begin < 1


def test_an_unknown_command_is_a_usage_error() -> None:
    result = call("validat")
    assert result.exit_code == ExitCode.USAGE
    assert "Did you mean 'validate'?" in result.stderr


def test_a_problem_is_printed_with_detail_and_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    result = call_raising(monkeypatch, PROBLEM)
    assert result.exit_code == ExitCode.INFRASTRUCTURE
    assert result.stdout == ""
    assert result.stderr == "error: The disk is full. [no-space]\n  1 MiB free\n→ Free some space.\n"


def test_a_problem_is_printed_as_json_with_output_json(monkeypatch: pytest.MonkeyPatch) -> None:
    result = call_raising(monkeypatch, PROBLEM, "-o", "json")
    assert result.exit_code == ExitCode.INFRASTRUCTURE
    assert result.stderr == ""
    error = {"code": "no-space", "title": "The disk is full.", "detail": "1 MiB free", "remedy": "Free some space."}
    assert json.loads(result.stdout) == {"schema": 1, "error": error, "findings": []}


@pytest.mark.parametrize(
    ("code", "exit_code"),
    [("bootstrap-failed", 5), ("install-failed", 6), ("auth-of-another-cluster", 3), ("anything-else", 4)],
)
def test_each_kind_of_problem_has_its_exit_code(monkeypatch: pytest.MonkeyPatch, code: str, exit_code: int) -> None:
    assert call_raising(monkeypatch, Problem(code=code, title="…")).exit_code == exit_code


def test_ctrl_c_ends_a_command_with_code_130_and_no_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    result = call_raising(monkeypatch, KeyboardInterrupt())
    assert (result.exit_code, result.stderr) == (ExitCode.INTERRUPTED, "\nInterrupted.\n")


def test_a_reader_that_closes_the_pipe(tmp_path: Path) -> None:
    """`cluster0 validate | head` prints no traceback and no bug report."""
    write_samples("sno", tmp_path)
    reader, writer = os.pipe()
    os.close(reader)
    try:
        ended = subprocess.run(
            [sys.executable, "-m", "cli", "validate", "-o", "json", "--dir", str(tmp_path)],
            stdout=writer, stderr=subprocess.PIPE, text=True, check=False,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )  # fmt: skip
    finally:
        os.close(writer)
    assert (ended.returncode, ended.stderr) == (ExitCode.READER_GONE, "")


def test_an_unexpected_exception_is_one_line_and_a_traceback_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    result = call_raising(monkeypatch, ValueError("hunter2"))
    assert result.exit_code == ExitCode.BUG
    (report,) = tmp_path.iterdir()
    assert str(report) in result.stderr
    assert "hunter2" not in result.stderr
    assert "hunter2" in report.read_text()
    assert report.stat().st_mode & 0o077 == 0


def test_validate_names_the_line_of_a_finding(tmp_path: Path) -> None:
    write_samples("sno", tmp_path)
    path = tmp_path / "agent-config.yaml"
    path.write_text(path.read_text().replace("52:54:00:00:00:01", "52:54:00"))
    result = call("validate", "--dir", str(tmp_path))
    assert result.exit_code == ExitCode.CONFIGURATION
    assert result.stderr.splitlines()[:5] == [
        f"{path}:18:21: error: hosts[0].interfaces[0].macAddress",
        "  18 |         macAddress: 52:54:00",
        "     |                     ^",
        "  Not a MAC address.",
        "  → Write six pairs of hex digits: 52:54:00:12:34:56. [mac-invalid]",
    ]


def test_validate_prints_findings_as_json(tmp_path: Path) -> None:
    write_samples("sno", tmp_path)
    assert json.loads(call("validate", "--dir", str(tmp_path), "-o", "json").stdout) == {"schema": 1, "findings": []}
    (tmp_path / "agent-config.yaml").unlink()
    document = json.loads(call("validate", "--dir", str(tmp_path), "-o", "json").stdout)
    assert document["error"]["code"] == "configuration-invalid"
    assert [finding["code"] for finding in document["findings"]] == ["file-unreadable"]


def test_create_config_overwrites_nothing(tmp_path: Path) -> None:
    directory = tmp_path / "new"
    first = call("create", "config", "--topology", "sno", "--dir", str(directory))
    assert first.stdout.splitlines() == [str(directory / "install-config.yaml"), str(directory / "agent-config.yaml")]
    assert call("validate", "--dir", str(directory)).exit_code == ExitCode.DONE
    (directory / "install-config.yaml").unlink()
    second = call("create", "config", "--dir", str(directory))
    assert second.exit_code == ExitCode.CONFIGURATION
    assert "file-exists" in second.stderr
    assert not (directory / "install-config.yaml").exists()


def test_wait_for_before_create_image_is_a_problem(tmp_path: Path) -> None:
    result = call("wait-for", "install-complete", "--dir", str(tmp_path))
    assert result.exit_code == ExitCode.INFRASTRUCTURE
    assert "image-not-made" in result.stderr


def test_a_file_with_the_wrong_suffix_is_named(tmp_path: Path) -> None:
    write_samples("sno", tmp_path)
    for name in ("install-config", "agent-config"):
        (tmp_path / f"{name}.yaml").rename(tmp_path / f"{name}.yml")
    document = json.loads(call("validate", "--dir", str(tmp_path), "-o", "json").stdout)
    assert [finding["remedy"] for finding in document["findings"]] == [
        "There is install-config.yml: rename it to install-config.yaml.",
        "There is agent-config.yml: rename it to agent-config.yaml.",
    ]


def test_create_config_where_nothing_can_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    result = call("create", "config", "--dir", str(tmp_path / "file/site"))
    assert result.exit_code == ExitCode.INFRASTRUCTURE
    assert "cannot be written: Not a directory. [output-not-writable]" in result.stderr


def test_create_config_writes_both_samples_or_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = Files.write

    def interrupted(files: Files, path: str, text: str) -> Path:
        if path == "agent-config.yaml":
            raise KeyboardInterrupt
        return write(files, path, text)

    monkeypatch.setattr(Files, "write", interrupted)
    assert call("create", "config", "--dir", str(tmp_path)).exit_code == ExitCode.INTERRUPTED
    assert list(tmp_path.iterdir()) == []


def test_create_config_prints_the_next_command_with_the_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    directory = write_directory(make_site(tmp_path / "root"), tmp_path / "my site")

    async def retried(*_: object) -> Host:
        return Host(
            id="1", href="", infra_env_id="", status=HostStatus.ERROR, status_info="", requested_hostname="beta"
        )

    monkeypatch.setattr("client.hosts.calls.retry", retried)
    result = call("hosts", "retry", "beta", "--dir", str(directory))
    assert result.stderr == f"beta starts over. Next: cluster0 wait-for install-complete --dir '{directory}'\n"
