"""The reason that a console names for a fault."""

from __future__ import annotations

from tests.faults.attempt import named_reason

LINES = "cluster0: node0: address 192.0.2.1\r\ncluster0: node0: problem disk-error: The disk failed.\r\n"


def test_the_reason_is_the_line_that_shows_it() -> None:
    assert named_reason("problem (disk|image)-", LINES) == "cluster0: node0: problem disk-error: The disk failed."
    assert named_reason("problem medium-", LINES) == ""


def test_a_line_that_is_still_written_is_awaited() -> None:
    """An emulated serial port writes a few characters at a time."""
    assert named_reason("problem disk-", LINES.removesuffix(" failed.\r\n")) == ""
