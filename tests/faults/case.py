"""What is tried, and what came of it."""

from __future__ import annotations

from enum import StrEnum

import msgspec


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """A fault for `host` at `stage`. `seconds`: how long a fault lasts that lasts.

    `shows`: a regular expression that a console has to show before the fault ends, within `within` seconds: the visible
    reason. Empty: the install has to succeed without help. `restart`: the host is started again after the fault, as the
    reason asks. `alone`: no other fault during its install.
    """

    fault: str
    stage: str
    topology: str = "sno"
    machines: str = "container"
    host: str = "node0"
    seconds: float = 5
    shows: str = ""
    within: float = 150
    restart: bool = False
    alone: bool = False

    @property
    def name(self) -> str:
        return f"{self.machines}/{self.topology}/{self.host}/{self.stage}/{self.fault}"


class Verdict(StrEnum):
    """`INSTALLED`: without help. `REASON_SHOWN`: the reason was shown, the fault ended, and it was installed.

    `FAILED`: a failure of the product. These are no results: `NOT_BEGUN`: the fault or its stage did not come about;
    `UNCLEAR`: the install failed, and another of its faults may be the reason.
    """

    INSTALLED = "installed"
    REASON_SHOWN = "reason shown, then installed"
    FAILED = "failed"
    NOT_BEGUN = "not begun"
    UNCLEAR = "unclear"

    @property
    def is_result(self) -> bool:
        return self not in {Verdict.NOT_BEGUN, Verdict.UNCLEAR}


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """`seconds`: from the begin of the fault to the verdict. `shown`: the line that named the reason.

    `others`: names of the other faults of the same install. `commit`, `machine`, `at` (Unix seconds): of the run.
    """

    case: Case
    verdict: Verdict
    seconds: float = 0
    shown: str = ""
    detail: str = ""
    others: tuple[str, ...] = ()
    commit: str = ""
    machine: str = ""
    at: float = 0
