"""Findings parsed from the output of `ignition-validate`; the lines are from Debian's version 2.14."""

from __future__ import annotations

import pytest

from ignition.validate import MessageKind, ValidatorMessage, findings


@pytest.mark.parametrize(
    ("line", "finding"),
    [
        (
            "error at $.storage.files.0.path, line 1 col 61: path not absolute",
            ValidatorMessage(MessageKind.ERROR, "path not absolute", "$.storage.files.0.path", 1, 61),
        ),
        (
            "warning at $.storage.files.0.mdoe, line 2 col 39: Unused key mdoe",
            ValidatorMessage(MessageKind.WARNING, "Unused key mdoe", "$.storage.files.0.mdoe", 2, 39),
        ),
        (
            "error at line 1 col 76: json: cannot unmarshal string into Go struct field",
            ValidatorMessage(MessageKind.ERROR, "json: cannot unmarshal string into Go struct field", "", 1, 76),
        ),
        (
            "error at $.storage.disks.0: a disk needs a device",
            ValidatorMessage(MessageKind.ERROR, "a disk needs a device", "$.storage.disks.0"),
        ),
        (
            "couldn't parse config: unsupported config version",
            ValidatorMessage(MessageKind.ERROR, "couldn't parse config: unsupported config version"),
        ),
    ],
)
def test_lines_of_ignition_validate_become_findings(line: str, finding: ValidatorMessage) -> None:
    assert findings(line + "\n", 1) == [finding]


def test_no_output_means_valid_only_with_exit_code_zero() -> None:
    assert findings("", 0) == []
    assert findings("", 2) == [
        ValidatorMessage(MessageKind.ERROR, "ignition-validate ended with exit code 2 and no message")
    ]


def test_an_ignition_finding_is_printed_in_one_line() -> None:
    assert (
        str(ValidatorMessage(MessageKind.WARNING, "Unused key mdoe", "$.a", 2, 3))
        == "warning at $.a, line 2 column 3: Unused key mdoe"
    )
    assert str(ValidatorMessage(MessageKind.ERROR, "no", "")) == "error: no"
