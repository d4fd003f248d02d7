"""What `wait-for` says: one line a change. With `-o json` each is an object; the fields are a contract."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from agent.model.states import EventSeverity
from client.observe.phase import Situation
from client.wait_for.matrix import Matrix

SCHEMA = 1


class Kind(StrEnum):
    """`STARTED`: the first line. `SITUATION`: where the install stands. `CHECK`: a validation broke or was mended.
    `PAIR`: a test between two hosts fails, or holds again. `MATRIX`: every pair that fails, when they have become
    others. `STAGE`: a host got further. `EVENT`: node0's own words. `KUBERNETES`: its API or a node changed. `RESULT`:
    the last line, on success. `ARCHIVE`: a failed wait has collected a support archive."""

    STARTED = "started"
    SITUATION = "situation"
    CHECK = "check"
    PAIR = "pair"
    MATRIX = "matrix"
    STAGE = "stage"
    EVENT = "event"
    KUBERNETES = "kubernetes"
    RESULT = "result"
    ARCHIVE = "archive"


class Line(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """`host`: its name. `check`: the id of a validation. `percent`: of the whole install. Empty fields are left out.

    `peer`, `address`, `interface`: of the other host, and the way to it. `matrix`: host → peer → tests that fail.
    `deadline`: RFC 3339. `kubeconfig`, `archive`: paths.
    """

    kind: Kind
    message: str
    severity: EventSeverity = EventSeverity.INFO
    remedy: str = ""
    host: str = ""
    check: str = ""
    peer: str = ""
    address: str = ""
    interface: str = ""
    matrix: Matrix = {}
    stage: str = ""
    situation: Situation | None = None
    percent: int | None = None
    event: int | None = None
    deadline: str = ""
    kubeconfig: str = ""
    api_url: str = ""
    archive: str = ""


class JsonLine(Line, frozen=True, kw_only=True):
    """A line as it is printed. `time`: RFC 3339, this computer's clock."""

    schema: int
    time: str

    @classmethod
    def of(cls, line: Line, time: str) -> JsonLine:
        return cls(schema=SCHEMA, time=time, **msgspec.structs.asdict(line))
