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


def test_user_checks_are_kept_byte_for_byte(tmp_path: Path, load_edited: LoadEdited) -> None:
    put(tmp_path, **{"asset-tag": SCRIPT + b"exit 0", "probe.elf": b"\x7fELF\0\1\2"})
    found = load_edited().valid_inputs().extra_files.checks
    assert [(check.name, check.content) for check in found] == [
        ("asset-tag", SCRIPT + b"exit 0"),
        ("probe.elf", b"\x7fELF\0\1\2"),
    ]


def test_without_a_checks_directory_there_are_no_user_checks(load_edited: LoadEdited) -> None:
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
def test_each_mistake_in_a_user_check_has_its_code(tmp_path: Path, name: str, content: bytes, code: str) -> None:
    assert codes(put(tmp_path, **{name: content})) == {code}


def test_each_mistake_in_the_set_of_user_checks_has_its_code(tmp_path: Path) -> None:
    many = {f"check{number}": SCRIPT for number in range(MOST_USER_CHECKS + 1)}
    assert codes(put(tmp_path / "many", **many)) == {"checks-too-many"}
    large = {f"check{number}": SCRIPT + bytes(checks.MAX_BYTES - 100) for number in range(3)}
    assert codes(put(tmp_path / "large", **large)) == {"checks-too-large"}


def test_a_directory_and_a_dangling_link_are_no_user_checks(tmp_path: Path) -> None:
    put(tmp_path, good=SCRIPT)
    (tmp_path / "checks/sub").mkdir()
    (tmp_path / "checks/link").symlink_to("nowhere")
    found, wrong = checks.read_checks(tmp_path)
    assert [finding.code for finding in wrong] == ["check-not-a-file"] * 2
    assert [check.name for check in found] == ["good"]


def test_an_invalid_user_check_makes_the_inputs_invalid(tmp_path: Path, load_edited: LoadEdited) -> None:
    put(tmp_path, notes=b"not a program")
    found = load_edited()
    assert found.inputs is None
    assert found.findings[0].file == str(tmp_path / "checks/notes")
