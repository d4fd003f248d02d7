"""The two forms of a line: JSON is a contract, text is for people."""

from __future__ import annotations

import json
from collections.abc import Callable

import msgspec

from agent.model.states import EventSeverity
from client.observe.phase import InstallPhase
from client.wait_for.lines import JsonLine, Line, LineKind
from client.wait_for.text import is_for_people, text

CHECK = Line(
    kind=LineKind.CHECK,
    severity=EventSeverity.WARNING,
    host="alpha",
    check="ntp-synced",
    message="No time source.",
    remedy="Add one.",
)


def test_a_line_as_json() -> None:
    line = Line(kind=LineKind.PHASE, phase=InstallPhase.INSTALLING, message="Installing.")
    written = json.loads(_encoded(line))
    assert written == {
        "schema": 1,
        "time": "2026-01-01T00:00:00.000Z",
        "kind": "situation",
        "situation": "installing",
        "message": "Installing.",
    }


def test_a_json_line_omits_empty_fields_only() -> None:
    assert json.loads(_encoded(CHECK)).keys() == {
        "schema", "time", "kind", "severity", "host", "check", "message", "remedy",
    }  # fmt: skip


def _encoded(line: Line) -> bytes:
    return msgspec.json.encode(JsonLine.of(line, "2026-01-01T00:00:00.000Z"))


def test_text_has_host_check_and_remedy() -> None:
    first, second = text(CHECK).splitlines()
    assert "alpha: ntp-synced: No time source." in first
    assert second.strip() == "→ Add one."


def test_text_from_a_host_cannot_control_the_terminal() -> None:
    line = Line(kind=LineKind.STAGE, host="al\x1b]0;pha", message="Writing\r\n\x9b2J", severity=EventSeverity.ERROR)
    shown = text(line)
    assert "al\\x1b]0;pha: Writing\n         \\x9b2J" in shown


def test_text_has_only_serious_events() -> None:
    event = Line(kind=LineKind.EVENT, message="updated status")
    assert not is_for_people(event)
    assert is_for_people(Line(kind=LineKind.EVENT, message="broken", severity=EventSeverity.ERROR))
    assert is_for_people(CHECK)


def test_text_has_peer_failures_as_a_matrix() -> None:
    assert not is_for_people(Line(kind=LineKind.PEER_FAILURE, message="to beta, 192.0.2.12 through eth0: no echo"))
    matrix = Line(kind=LineKind.MATRIX, message="…", matrix={"alpha": {"beta": ("ping eth0",)}})
    assert is_for_people(matrix)
    assert json.loads(_encoded(matrix))["matrix"] == {"alpha": {"beta": ["ping eth0"]}}


def test_the_schema_of_a_line_is_a_contract(golden: Callable[[str, str], None]) -> None:
    """Fields may be added; what is renamed or removed needs another schema number."""
    schema = msgspec.json.format(msgspec.json.encode(msgspec.json.schema(JsonLine)), indent=1).decode()
    golden("wait_for/line.schema.json", f"{schema}\n")
