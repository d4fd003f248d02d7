"""The output of `wait-for`: one line a change. With `-o json` each is an object; the fields are a contract."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from agent.model.states import EventSeverity
from client.observe.phase import InstallPhase
from client.wait_for.peer_matrix import PeerMatrix

SCHEMA = 1


class LineKind(StrEnum):
    """`started`: the first line. `situation`: the phase of the install. `check`: a validation fails, or succeeds again.
    `pair`: a test between two hosts fails, or succeeds again. `matrix`: all such failures, when they have changed.
    `stage`: a host reached a stage. `event`: an event of node0. `kubernetes`: its API or a node changed. `result`: the
    last line, on success. `archive`: a failed wait has collected a support archive."""

    STARTED = "started"
    PHASE = "situation"
    CHECK = "check"
    PEER_FAILURE = "pair"
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

    kind: LineKind
    message: str
    severity: EventSeverity = EventSeverity.INFO
    remedy: str = ""
    host: str = ""
    check: str = ""
    peer: str = ""
    address: str = ""
    interface: str = ""
    matrix: PeerMatrix = {}
    stage: str = ""
    phase: InstallPhase | None = msgspec.field(name="situation", default=None)
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
