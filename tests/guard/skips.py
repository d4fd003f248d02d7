"""A pytest plugin: says at the end what was skipped and why, and in CI (CI=true) fails what this machine could run.

In CI a skip is allowed only for a limit of the machine (`tests/guard/machine_limits.py`), and only if the limit's probe
confirms it. Every other skipped test or module counts as failed.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Generator, Sequence
from typing import TypeVar

import pytest

from tests.guard.machine_limits import LIMITS, MachineLimit

_REMEDY = """Install or build what is missing (`make image` does both). Only what tests/guard/machine_limits.py lists
may be missing, and only if its probe agrees."""

Report = TypeVar("Report", pytest.TestReport, pytest.CollectReport)


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Skips(LIMITS, in_ci=os.environ.get("CI", "") not in {"", "0", "false"}))


class Skips:
    """`limits`: the reasons that are allowed in CI."""

    def __init__(self, limits: Sequence[MachineLimit], *, in_ci: bool) -> None:
        self._limits = {limit.reason: limit for limit in limits}
        self._in_ci = in_ci

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(self) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        return self._judge((yield))

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_make_collect_report(self) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
        return self._judge((yield))

    def _judge(self, report: Report) -> Report:
        """A skip that is not allowed becomes a failure."""
        if self._in_ci and _is_skip(report):
            reason = _reason(report)
            limit = self._limits.get(reason)
            if limit is None or limit.is_there():
                report.outcome = "failed"
                report.longrepr = f"In CI this must run, and it was skipped: {reason}\n{_REMEDY}"
        return report

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """A line for each reason; `.ci/run` shows them again at its end."""
        skipped = Counter(map(_reason, filter(_is_skip, terminalreporter.stats.get("skipped", []))))
        for reason, number in skipped.most_common():
            terminalreporter.write_line(f"skipped {number}: {reason}")
        if not skipped:
            terminalreporter.write_line("skipped 0")


def _is_skip(report: pytest.TestReport | pytest.CollectReport) -> bool:
    return report.skipped and not hasattr(report, "wasxfail")


def _reason(report: pytest.TestReport | pytest.CollectReport) -> str:
    """In one line. A skip's `longrepr` is file, line and "Skipped: REASON"."""
    assert isinstance(report.longrepr, tuple)
    return " ".join(report.longrepr[2].removeprefix("Skipped: ").split())
