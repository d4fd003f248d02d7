"""One install with its faults, from power-on to a verdict for each of them.

usage: python -m tests.faults.install --directory DIR --base-iso FILE --commit ID --results FILE CASE...
A process of its own: several run at the same time. SIGTERM takes the lab down.
"""

from __future__ import annotations

import argparse
import platform
import re
import time
from collections.abc import Sequence
from pathlib import Path

from agent.model.problems import Problem
from cli.progress import say
from tests.faults import judge, report
from tests.faults.attempt import Attempt, let_happen
from tests.faults.case import Case, Result, Verdict
from tests.faults.cases import by_name
from tests.faults.interrupt import raise_on_sigterm
from vm_harness.lab import evidence
from vm_harness.lab.cluster.topologies import TOPOLOGIES
from vm_harness.lab.directories import Directories
from vm_harness.lab.lab import Lab, down
from vm_harness.lab.request import LabRequest, MachineKind
from vm_harness.lab.up import up

INSTALL_SECONDS = {MachineKind.CONTAINER: 900.0, MachineKind.VM: 5400.0}


def run(cases: Sequence[Case], directory: Path, base_iso: Path, evidence_directory: Path) -> tuple[list[Attempt], str]:
    """Bring a lab up in `directory`, let the faults of `cases` happen, judge, and take it down.

    Returns what came of each case, and why the install failed; empty when it succeeded. Raises nothing that the
    product caused.
    """
    attempts = [Attempt(case) for case in cases]
    kind = MachineKind(cases[0].machines)
    directory.mkdir(parents=True, exist_ok=True)
    directories = Directories.of(directory)
    topology = TOPOLOGIES[cases[0].topology]
    reason, lab = "", None
    try:
        lab = up(LabRequest(directories=directories, topology=topology, machines=kind, base_iso=base_iso))
        reason = _install(lab, attempts, INSTALL_SECONDS[kind])
    except Problem as problem:
        reason = str(problem)
    finally:
        if lab is not None:
            if reason or any(attempt.harm for attempt in attempts):
                into = evidence_directory / re.sub(r"[^A-Za-z0-9]+", "-", cases[0].name)
                evidence.collect(lab.directories, lab, into)
            lab.close()
        down(directories)
    return attempts, reason


def _install(lab: Lab, attempts: Sequence[Attempt], timeout: float) -> str:
    """Why the install failed; empty when it succeeded."""
    for attempt in attempts:
        try:
            let_happen(lab, attempt)
        except Problem as problem:
            say(f"  {attempt.case.name}: {problem}")
            if attempt.has_begun:
                attempt.harm = str(problem)
                return attempt.harm
            attempt.missed = str(problem)
        attempt.harm = attempt.harm or next(filter(None, map(judge.crash_of, lab.nodes)), "")
    if not any(attempt.has_begun for attempt in attempts):
        return "no fault began"
    reason = judge.wait_until_installed(lab, timeout) or judge.why_unusable(lab)
    return reason or next(filter(None, map(judge.crash_of, lab.nodes)), "")


def result(attempt: Attempt, attempts: Sequence[Attempt], reason: str, commit: str) -> Result:
    """`reason`: why the install failed; empty when it succeeded."""
    failure = attempt.harm or reason
    others = tuple(other.case.name for other in attempts if other is not attempt and other.has_begun)
    if not attempt.has_begun:
        verdict, failure = Verdict.NOT_BEGUN, attempt.missed or failure
    elif failure:
        verdict = Verdict.FAILED if attempt.harm or not others else Verdict.UNCLEAR
    else:
        verdict = Verdict.REASON_SHOWN if attempt.case.shows else Verdict.INSTALLED
    return Result(
        case=attempt.case, verdict=verdict, seconds=round(attempt.seconds), shown=attempt.shown, detail=failure,
        others=others, commit=commit, machine=f"{platform.machine()}, {platform.system()} {platform.release()}",
        at=time.time(),
    )  # fmt: skip


def main() -> None:
    raise_on_sigterm()
    parser = argparse.ArgumentParser(prog="python -m tests.faults.install", description=__doc__)
    for option in ("directory", "base-iso", "results", "evidence"):
        parser.add_argument(f"--{option}", type=Path, required=True)
    parser.add_argument("--commit", required=True)
    parser.add_argument("cases", nargs="+")
    given = parser.parse_args()
    known = by_name()
    attempts, reason = run([known[name] for name in given.cases], given.directory, given.base_iso, given.evidence)
    report.append(given.results, [result(attempt, attempts, reason, given.commit) for attempt in attempts])


if __name__ == "__main__":
    main()
