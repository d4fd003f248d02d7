"""One shape for every expected failure: what, why, what to do.

The code is a stable contract (tests, JSON output and documentation name it); the words may change.
A bug of ours is an ordinary exception and never a `Problem`.
"""

from __future__ import annotations

import msgspec


class ProblemReport(msgspec.Struct, frozen=True, kw_only=True):
    """A `Problem` as JSON: on the wire, in `/run/cluster0/*.json`, in events."""

    code: str
    title: str
    detail: str = ""
    remedy: str = ""


class Problem(Exception):
    """An expected, explained failure.

    code: kebab-case and stable, for example `disk-too-small`.
    title: one sentence that names the host, disk, NIC, file or line and the values.
    detail: why, in as many lines as it takes (tool output goes here); may be empty.
    remedy: what the reader can do about it; may be empty when nothing is known.
    """

    def __init__(self, *, code: str, title: str, detail: str = "", remedy: str = "") -> None:
        super().__init__(title)
        self.code = code
        self.title = title
        self.detail = detail
        self.remedy = remedy

    def __str__(self) -> str:
        parts = [f"{self.code}: {self.title}", self.detail, self.remedy]
        return "\n".join(part for part in parts if part)

    def report(self) -> ProblemReport:
        return ProblemReport(code=self.code, title=self.title, detail=self.detail, remedy=self.remedy)

    @classmethod
    def from_report(cls, report: ProblemReport) -> Problem:
        return cls(code=report.code, title=report.title, detail=report.detail, remedy=report.remedy)
