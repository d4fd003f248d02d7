"""One fault in an install that runs: its stage, its begin and end, and the reason that it has to show."""

from __future__ import annotations

import re
import time

from agent.model.problems import Problem
from cli.progress import say
from tests.faults.case import Case
from tests.faults.stages import FAILED, STAGES, Place
from vm_harness.faults.fault import Target
from vm_harness.faults.table import find
from vm_harness.lab.faults import target
from vm_harness.lab.lab import Lab
from vm_harness.lab.request import MachineKind

STAGE_SECONDS = {MachineKind.CONTAINER: 600.0, MachineKind.VM: 3600.0}
RESTART_SECONDS = {MachineKind.CONTAINER: 300.0, MachineKind.VM: 1200.0}


class Attempt:
    """What came of a case. `shown`: the line that named the reason; `harm`: what went wrong at this fault.

    `missed`: why the fault did not begin.
    """

    def __init__(self, case: Case) -> None:
        self.case = case
        self.shown = ""
        self.harm = ""
        self.missed = ""
        self._began_at = 0.0

    @property
    def has_begun(self) -> bool:
        return self._began_at > 0

    @property
    def seconds(self) -> float:
        """Since the begin of the fault."""
        return time.monotonic() - self._began_at if self.has_begun else 0.0

    def begin(self) -> None:
        self._began_at = time.monotonic()


def let_happen(lab: Lab, attempt: Attempt) -> None:
    """From the case's stage to the end of its fault. Raises `Problem`: also `stage-passed`, `no-reason-shown`."""
    case, fault = attempt.case, find(attempt.case.fault)
    affected = target(lab, case.host)
    fault.check(affected)
    line = _wait_for_stage(lab, case)
    say(f"  {case.name}: begins, {line!r}")
    marks = {node.name: node.console.mark() for node in lab.nodes}
    fault.begin(affected)
    attempt.begin()
    try:
        if case.shows:
            attempt.shown = _wait_for_words(lab, case, marks)
        elif fault.lasts:
            time.sleep(case.seconds)
    finally:
        if fault.end is not None:
            fault.end(affected)
        say(f"  {case.name}: ended after {attempt.seconds:.0f} s {attempt.shown}")
    if case.restart:
        _start_again(affected, RESTART_SECONDS[MachineKind(case.machines)])


def _wait_for_stage(lab: Lab, case: Case) -> str:
    """The line that began the stage. Raises `Problem`: `stage-passed`, `install-failed`, and those of the machines."""
    stage = STAGES[case.stage]
    console = lab.node("" if stage.on_node0 else case.host).console
    timeout = STAGE_SECONDS[MachineKind(case.machines)]
    reader, deadline = console.reader(), time.monotonic() + timeout
    place = Place(stage, case.host, is_node0=lab.node(case.host) is lab.nodes[0])
    while time.monotonic() < deadline:
        for text in reader.new_text():
            place.read(text)
        if place.failure:
            raise Problem(code="install-failed", title=f"before {case.stage}: {place.failure}")
        if place.is_there:
            return place.line
        if place.is_over:
            raise Problem(code="stage-passed", title=f"{case.stage} has passed: {place.line}")
        lab.watch.check()
        lab.watch.wait(deadline - time.monotonic())
    raise Problem(code="stage-timeout", title=f"{case.stage} did not come within {timeout:g} s", detail=place.line)


def _wait_for_words(lab: Lab, case: Case, marks: dict[str, int]) -> str:
    """The first line on any console that names the reason. Raises `Problem` (`no-reason-shown`)."""
    deadline = time.monotonic() + case.within
    readers = [node.console.reader(marks[node.name]) for node in lab.nodes]
    while time.monotonic() < deadline:
        for reader in readers:
            for text in reader.new_text():
                if line := named_reason(case.shows, text):
                    return line
        lab.watch.check()
        lab.watch.wait(deadline - time.monotonic())
    raise Problem(code="no-reason-shown", title=f"no console showed {case.shows!r} within {case.within:g} s")


def named_reason(shows: str, text: str) -> str:
    """The first line of `text` that shows the reason, once all of the line is there; else empty."""
    found = re.search(f".*(?:{shows}).*\n", text)
    return found[0].strip() if found else ""


def _start_again(affected: Target, timeout: float) -> None:
    """What a person does whom the reason asks to start the host again."""
    affected.node.crash()
    affected.node.start()
    again = f"cluster0: {affected.name}: (?:registered|waiting for node0: started from disk)|{FAILED}"
    seen = affected.node.wait_for_console_text(again, timeout=timeout)[0]
    if re.search(FAILED, seen):
        raise Problem(code="install-failed", title=f"after the host had started again: {seen}")
