"""The user's checks: accepted as they are, or rejected with a finding."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from agent.api.checks import MOST_USER_CHECKS
from inputs.extra_files import checks
from inputs.load import LoadResult

LoadEdited = Callable[..., LoadResult]

SCRIPT = b"#!/bin/sh\n"


def put(directory: Path, **files: bytes) -> Path:
    for name, content in files.items():
        path = directory / "checks" / name
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_bytes(content)
    return directory


def codes(directory: Path) -> set[str]:
    return {finding.code for finding in checks.read_checks(directory)[1]}


def test_checks_are_taken_as_they_are(tmp_path: Path, load_edited: LoadEdited) -> None:
    put(tmp_path, **{"asset-tag": SCRIPT + b"exit 0", "probe.elf": b"\x7fELF\0\1\2"})
    found = load_edited().valid_inputs().extra_files.checks
    assert [(check.name, check.content) for check in found] == [
        ("asset-tag", SCRIPT + b"exit 0"),
        ("probe.elf", b"\x7fELF\0\1\2"),
    ]


def test_without_the_directory_there_are_none(load_edited: LoadEdited) -> None:
    assert load_edited().valid_inputs().extra_files.checks == ()


@pytest.mark.parametrize(
    ("name", "content", "code"),
    [
        ("README.md", b"# Checks", "check-name-invalid"),
        (".hidden", SCRIPT, "check-name-invalid"),
        ("x" * 64, SCRIPT, "check-name-invalid"),
        ("notes", b"not a program", "check-no-program"),
        ("empty", b"", "check-no-program"),
        ("large", SCRIPT + bytes(checks.MAX_BYTES), "check-too-large"),
    ],
)
def test_what_is_wrong_with_one_has_a_name(tmp_path: Path, name: str, content: bytes, code: str) -> None:
    assert codes(put(tmp_path, **{name: content})) == {code}


def test_what_is_wrong_with_all_has_a_name(tmp_path: Path) -> None:
    many = {f"check{number}": SCRIPT for number in range(MOST_USER_CHECKS + 1)}
    assert codes(put(tmp_path / "many", **many)) == {"checks-too-many"}
    large = {f"check{number}": SCRIPT + bytes(checks.MAX_BYTES - 100) for number in range(3)}
    assert codes(put(tmp_path / "large", **large)) == {"checks-too-large"}


def test_a_directory_and_a_dangling_link_are_no_checks(tmp_path: Path) -> None:
    put(tmp_path, good=SCRIPT)
    (tmp_path / "checks/sub").mkdir()
    (tmp_path / "checks/link").symlink_to("nowhere")
    found, wrong = checks.read_checks(tmp_path)
    assert [finding.code for finding in wrong] == ["check-not-a-file"] * 2
    assert [check.name for check in found] == ["good"]


def test_a_wrong_check_stops_everything(tmp_path: Path, load_edited: LoadEdited) -> None:
    put(tmp_path, notes=b"not a program")
    found = load_edited()
    assert found.inputs is None
    assert found.findings[0].file == str(tmp_path / "checks/notes")
