"""What an install says of each of its faults, and which of them are tried again."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.attempt import Attempt
from tests.faults.campaign import Campaign
from tests.faults.case import Case, Verdict
from tests.faults.install import result

CUT = Case(fault="power-cut", stage="init")
KEY = Case(fault="bad-tls-key", stage="discovery", shows="key-unusable", alone=True)
KILL = Case(fault="kill-agent", stage="discovery")


def attempt(case: Case, *, begun: bool = True, harm: str = "") -> Attempt:
    made = Attempt(case)
    made.harm = harm
    if begun:
        made.begin()
    return made


def verdict(attempts: list[Attempt], reason: str = "") -> Verdict:
    """Of the first one."""
    return result(attempts[0], attempts, reason, "abc").verdict


def test_a_fault_is_survived_when_the_install_succeeds() -> None:
    assert verdict([attempt(CUT)]) is Verdict.INSTALLED
    assert verdict([attempt(KEY)]) is Verdict.REASON_SHOWN


def test_a_failed_install_is_the_failure_of_its_only_fault() -> None:
    failed = result(attempt(CUT), [attempt(CUT, begun=False)], "no node is Ready", "abc")
    assert (failed.verdict, failed.detail) == (Verdict.FAILED, "no node is Ready")


def test_a_failed_install_with_several_faults_says_nothing_of_those_that_did_no_harm() -> None:
    harmless, harmful = attempt(KILL), attempt(CUT, harm="a traceback")
    assert verdict([harmless, harmful], "a traceback") is Verdict.UNCLEAR
    assert verdict([harmful, harmless], "a traceback") is Verdict.FAILED


def test_a_fault_that_did_not_begin_has_no_result() -> None:
    missed = attempt(CUT, begun=False)
    missed.missed = "init has passed"
    seen = result(missed, [missed, attempt(KILL)], "", "abc")
    assert (seen.verdict, seen.verdict.is_result, seen.detail) == (Verdict.NOT_BEGUN, False, "init has passed")


@pytest.mark.parametrize("jobs", [1, 2])
def test_no_install_begins_after_the_deadline(tmp_path: Path, jobs: int) -> None:
    campaign = Campaign(tmp_path, tmp_path, tmp_path / "no.iso", "abc", jobs=jobs)
    assert list(campaign.run([CUT, KILL], seed=1, deadline=0)) == []
    assert not (tmp_path / "logs").exists()
