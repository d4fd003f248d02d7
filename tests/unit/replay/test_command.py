"""`cluster0 replay`: what it prints, and its exit codes."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner, Result

from cli.cluster_directory import AUTH, INTENT
from cli.exit_codes import ExitCode
from cli.main import main
from inputs.samples import write_samples
from replay.judge.basis import by_inputs
from replay.judge.judgement import Judgement
from replay.recorded import DIRECTORY
from replay.site import make_intent

BOX = str(DIRECTORY / "edge-box.json")
IN_USE = str(DIRECTORY / "virtual-in-use.json")
SAMPLE_MAC, BOX_MAC = "52:54:00:00:00:01", "00:e0:4c:00:00:01"

Golden = Callable[[str, str], None]


def replay(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["replay", *arguments])


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """The sample inputs, for the recorded machine."""
    write_samples("sno", tmp_path)
    config = tmp_path / "agent-config.yaml"
    config.write_text(config.read_text().replace(SAMPLE_MAC, BOX_MAC))
    return tmp_path


@pytest.mark.parametrize("name", ["edge-box", "virtual-in-use"])
def test_the_report_is_word_for_word_as_agreed(name: str, golden: Golden) -> None:
    golden(f"replay/{name}.txt", replay(str(DIRECTORY / f"{name}.json")).stdout)


def test_the_exit_code_says_whether_the_machine_can_be_installed() -> None:
    assert replay(BOX).exit_code == ExitCode.DONE
    assert replay(IN_USE).exit_code == ExitCode.INFRASTRUCTURE


def test_json_has_the_whole_judgement() -> None:
    ended = replay(BOX, "-o", "json", "--role", "worker")
    found = msgspec.json.decode(ended.stdout, type=Judgement)
    assert (found.schema, found.role, found.obstacles) == (1, "worker", ())
    assert found.inventory.hostname == "edge-box"


def test_the_inputs_decide_about_the_machine(site: Path) -> None:
    ended = replay(BOX, "--dir", str(site))
    assert ended.exit_code == ExitCode.DONE, ended.stdout
    assert "Judged as host alpha of the inputs, with role master." in ended.stdout
    assert "Its NICs: eth0 is enp1s0." in ended.stdout


def test_a_host_of_the_inputs_can_be_named(site: Path) -> None:
    assert "It was named" in replay(IN_USE, "--dir", str(site), "--host", "alpha").stdout
    unknown = replay(BOX, "--dir", str(site), "--host", "omega")
    assert unknown.exit_code == ExitCode.CONFIGURATION
    assert "host-not-listed" in unknown.stderr
    assert "alpha" in unknown.stderr


def test_wrong_inputs_are_reported_as_by_validate(site: Path) -> None:
    (site / "install-config.yaml").unlink()
    ended = replay(BOX, "--dir", str(site))
    assert ended.exit_code == ExitCode.CONFIGURATION
    assert "install-config.yaml" in ended.stderr


@pytest.mark.parametrize("arguments", [("--host", "alpha"), ("--dir", ".", "--role", "worker"), ("--role", "king")])
def test_options_that_do_not_fit_are_a_usage_error(arguments: tuple[str, ...]) -> None:
    assert replay(BOX, *arguments).exit_code == ExitCode.USAGE


def test_a_file_that_is_no_record_is_an_error_with_a_remedy(tmp_path: Path) -> None:
    (tmp_path / "cluster.json").write_text("{}")
    ended = replay(str(tmp_path / "cluster.json"))
    assert ended.exit_code == ExitCode.INFRASTRUCTURE
    assert "record-invalid" in ended.stderr
    assert "cluster0-agent --record" in ended.stderr


def test_a_record_cannot_control_the_terminal(tmp_path: Path) -> None:
    text = Path(BOX).read_text().replace("Derived: all of it", "\\u001b[2JDerived")
    (tmp_path / "odd.json").write_text(text)
    assert "\x1b[2J" not in replay(str(tmp_path / "odd.json")).stdout


def test_the_ids_of_the_image_are_those_of_its_inputs(site: Path) -> None:
    fresh = by_inputs(site).intent
    assert fresh.cluster_id != by_inputs(site).intent.cluster_id
    made = make_intent(hosts=())
    (site / AUTH).mkdir()
    (site / AUTH / INTENT).write_bytes(msgspec.json.encode(made))
    assert by_inputs(site).intent.cluster_id == made.cluster_id
    (site / AUTH / INTENT).write_bytes(os.urandom(100))
    assert by_inputs(site).intent.cluster_id != made.cluster_id
