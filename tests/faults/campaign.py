"""Several installs at the same time, each a process of its own (`tests.faults.install`)."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from cli.progress import say
from tests.faults import report
from tests.faults.case import Case, Result, Verdict
from tests.faults.plan import Install, plan
from tests.paths import REPOSITORY
from vm_harness.lab.request import MachineKind


@dataclass(frozen=True)
class Running:
    """`slot`: a number that no other install has at this time. `log`: what the process prints."""

    install: Install
    process: subprocess.Popen[bytes]
    slot: int
    results: Path
    log: Path


class Campaign:
    """`results`: a directory for logs and evidence. `labs`: one for labs. `base_iso`: of all clusters."""

    def __init__(self, results: Path, labs: Path, base_iso: Path, commit: str, jobs: int) -> None:
        self._results = results.resolve()
        self._labs = labs.resolve()
        self._base_iso = base_iso.resolve()
        self._commit = commit
        self._jobs = jobs
        self._running: list[Running] = []
        self._tries = Counter[str]()

    def run(self, cases: Iterable[Case], seed: int, deadline: float) -> Iterator[list[Result]]:
        """The results of each install when it ends. After `deadline` (monotonic) no install begins.

        A fault that came to no result in an install with others is tried again, at last in an install of its own. A
        caller that stops early ends the installs that run, and their labs.
        """
        waiting, missed = plan(cases, seed), list[Case]()
        try:
            while self._running or ((waiting or missed) and time.monotonic() < deadline):
                if not waiting:
                    waiting, missed = plan(missed, seed), []
                while waiting and time.monotonic() < deadline and self._has_room(waiting[0]):
                    self._start(waiting.pop(0))
                for ended in self._wait():
                    results = report.load(ended.results) or [_lost(case, ended) for case in ended.install]
                    again, alone = self._without_result(ended.install, results)
                    missed += again
                    waiting += [(case,) for case in alone]
                    yield results
        finally:
            self._end_all()

    def _without_result(self, install: Install, results: Iterable[Result]) -> tuple[list[Case], list[Case]]:
        """The cases to try again with others, and those to try alone."""
        again: list[Case] = []
        alone: list[Case] = []
        for result in results:
            if len(install) > 1 and not result.verdict.is_result:
                is_first = self._tries[result.case.name] == 1
                (again if is_first and result.verdict is Verdict.NOT_BEGUN else alone).append(result.case)
        return again, alone

    def _has_room(self, install: Install) -> bool:
        """Virtual machines are emulated on many computers: they have the computer for themselves."""
        if MachineKind.VM in {each.install[0].machines for each in self._running} | {install[0].machines}:
            return not self._running
        return len(self._running) < self._jobs

    def _start(self, install: Install) -> None:
        slot = min(set(range(self._jobs)) - {each.slot for each in self._running})
        name = f"{time.strftime('%H%M%S')}-{slot}"
        log, results = self._results / "logs" / f"{name}.log", self._labs / f"{name}.jsonl"
        log.parent.mkdir(parents=True, exist_ok=True)
        options = {
            "directory": self._labs / str(slot) / f"{install[0].machines}-{install[0].topology}",
            "base-iso": self._base_iso, "commit": self._commit, "results": results,
            "evidence": self._results / "evidence",
        }  # fmt: skip
        argv = [sys.executable, "-m", "tests.faults.install", *(f"--{key}={value}" for key, value in options.items())]
        with log.open("wb") as output:
            process = subprocess.Popen(
                [*argv, *(case.name for case in install)],
                stdin=subprocess.DEVNULL, stdout=output, stderr=output, cwd=REPOSITORY, start_new_session=True,
            )  # fmt: skip
        self._running.append(Running(install, process, slot, results, log))
        self._tries.update(case.name for case in install)
        say(f"{time.strftime('%H:%M:%S')} install with {', '.join(case.name for case in install)}; log: {log}")

    def _wait(self) -> list[Running]:
        """Wait until an install ends; returns those that have ended."""
        if not self._running:
            return []
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOWAIT)
        ended = [each for each in self._running if each.process.poll() is not None]
        self._running = [each for each in self._running if each not in ended]
        return ended

    def _end_all(self) -> None:
        for each in self._running:
            each.process.terminate()
        for each in self._running:
            each.process.wait()
        self._running = []


def _lost(case: Case, ended: Running) -> Result:
    """The process of the install itself failed: a defect of the campaign."""
    detail = f"the install's process ended with exit code {ended.process.returncode}: {ended.log}"
    return Result(case=case, verdict=Verdict.NOT_BEGUN, detail=detail, at=time.time())
