"""Untrusted text for people: escapes instead of control characters."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.model.printable import printable, printable_json, printable_lines


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[2J\x07", "\\x1b[2J\\x07"),
        ("a\r\nb\tc", "a\\r\\nb\\tc"),
        ("\x7f\x85\x9b\xad", "\\x7f\\x85\\x9b\\xad"),
        ("\u202e\u2066\u200b\u2028\ufeff", "\\u202e\\u2066\\u200b\\u2028\\ufeff"),
        ("\ud800\U000e0041", "\\ud800\\U000e0041"),
        ("Grüße, 東京 €😀", "Grüße, 東京 €😀"),
    ],
)
def test_control_characters_are_shown_as_escapes(text: str, shown: str) -> None:
    assert printable(text) == shown


def test_lines_stay_lines_and_are_indented() -> None:
    assert printable_lines("a\r\nb\tc\n\x1b\rd", indent="  ") == "a\n  b\tc\n  \\x1b\\rd"


def test_json_keeps_its_layout() -> None:
    assert printable_json('{\n "a": "\x9b\u202e\U000e0041é"\n}'.encode()) == (
        '{\n "a": "\\u009b\\u202e\\udb40\\udc41é"\n}'
    )


@given(st.text())
def test_whatever_is_sent_prints(text: str) -> None:
    assert printable(text).isprintable()
    assert all(line.isprintable() for line in printable_lines(text.replace("\t", "")).split("\n"))
