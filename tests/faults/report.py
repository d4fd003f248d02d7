"""The results of campaigns: kept as JSON, shown as Markdown and JUnit."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from xml.etree.ElementTree import Element, ElementTree, SubElement, indent

import msgspec

from tests.faults.case import Case, Result, Verdict
from vm_harness.lab.request import MachineKind

LONGEST_DETAIL = 160


def load(file: Path) -> list[Result]:
    """One result a line; empty without the file."""
    if not file.exists():
        return []
    return [msgspec.json.decode(line, type=Result) for line in file.read_bytes().splitlines()]


def append(file: Path, results: Iterable[Result]) -> None:
    with file.open("ab") as log:
        log.writelines(msgspec.json.encode(result) + b"\n" for result in results)


def latest(results: Iterable[Result]) -> dict[str, Result]:
    """Case's name → its last result. A later attempt without a result replaces none."""
    found: dict[str, Result] = {}
    for result in results:
        if result.verdict.is_result or result.case.name not in found:
            found[result.case.name] = result
    return found


def publish(results: Iterable[Result], every_case: Sequence[Case], kept: Path, page: Path) -> None:
    """Add `results` to those of the file `kept`, one of each case, and make `page` from them."""
    found = latest([*load(kept), *results])
    rows = [found[case.name] for case in every_case if case.name in found and found[case.name].verdict.is_result]
    kept.unlink(missing_ok=True)
    append(kept, rows)
    page.write_text(markdown(rows, every_case))


def junit(results: Iterable[Result], file: Path) -> None:
    """https://github.com/testmoapp/junitxml has the format."""
    suite = Element("testsuite", name="faults")
    for result in results:
        case = SubElement(suite, "testcase", classname=result.case.machines, name=result.case.name)
        case.set("time", f"{result.seconds:.0f}")
        if result.verdict is Verdict.FAILED:
            SubElement(case, "failure", message=result.verdict).text = plain(result.detail)
        elif not result.verdict.is_result:
            SubElement(case, "skipped", message=plain(result.detail))
    indent(suite)
    ElementTree(suite).write(file, encoding="unicode", xml_declaration=True)


def markdown(results: Sequence[Result], every_case: Sequence[Case]) -> str:
    """The page `docs/faults.md`: the results, then what has not been tried."""
    tried = {name: result for name, result in latest(results).items() if result.verdict.is_result}
    rows = [tried[case.name] for case in every_case if case.name in tried]
    missing = [case for case in every_case if case.name not in tried]
    on_containers = [case for case in missing if case.machines == MachineKind.CONTAINER]
    on_vms = [case for case in missing if case.machines == MachineKind.VM]
    return "\n".join([
        INTRODUCTION.strip(), "", "## Results", "", *_summary(rows), "",
        "| fault | stage | host | outcome | seconds | date, commit |", "|---|---|---|---|---|---|",
        *map(_row, rows), "",
        "## Not run", "", "No claim is made about these." if missing else "Each pair has a result.", "",
        *_missing("On containers", "these have no result yet", on_containers),
        *_missing("On virtual machines", VM_WORDS, on_vms),
    ])  # fmt: skip


def _summary(rows: Sequence[Result]) -> list[str]:
    counts = Counter(result.verdict for result in rows)
    machines = " and on ".join(sorted({result.machine for result in rows}))
    return [
        f"{len(rows)} pairs of a fault and a stage, on {machines or 'no machine yet'}:",
        "",
        *(f"- {counts[verdict]}: {verdict}" for verdict in Verdict if verdict.is_result),
    ]


def _missing(title: str, words: str, cases: Sequence[Case]) -> list[str]:
    """One line for each fault."""
    if not cases:
        return []
    stages: dict[tuple[str, str], list[str]] = {}
    for case in cases:
        stages.setdefault((case.fault, _host(case)), []).append(case.stage)
    rows = [f"| `{fault}` | {'; '.join(places)} | {host} |" for (fault, host), places in stages.items()]
    return [f"{title}: {words}.", "", "| fault | stages | host |", "|---|---|---|", *rows, ""]


def _row(result: Result) -> str:
    case = result.case
    outcome = str(result.verdict)
    if case.restart and result.verdict is Verdict.REASON_SHOWN:
        outcome = "reason shown, host started again, then installed"
    for words in (result.shown, result.detail):
        outcome += f": {_cell(words)}" if words else ""
    day = datetime.fromtimestamp(result.at, UTC).date()
    return (
        f"| `{case.fault}` | {case.stage} | {_host(case)} | {outcome} | {result.seconds:.0f} | {day}, {result.commit} |"
    )


def _host(case: Case) -> str:
    return f"{case.host} of {case.topology}, {case.machines}"


def _cell(text: str) -> str:
    """One cell of a table: one line, of bounded length."""
    words = " ".join(plain(text).split()).replace("|", "\\|")
    return words if len(words) <= LONGEST_DETAIL else f"{words[:LONGEST_DETAIL]} …"


def plain(text: str) -> str:
    """Without control characters, which XML and Markdown do not take."""
    return re.sub(r"[^\x20-\x7e\n\u00a0-\uffff]", "", text)


VM_WORDS = "without KVM an install takes ten minutes and more, so these have no result yet"
INTRODUCTION = """
# Faults

What an install makes of a fault. `python -m tests.faults --page` makes this page from
`faults.jsonl` and the results of `make faults`; do not edit it.

Each row is one fault of `cluster0 lab fault --list`, for one host, at one stage of a real install.
Each ended in one of these ways:

- **installed**: the install went on without help. Then every node was Ready and ran from its disk,
  and the API stored an object and returned it.
- **reason shown, then installed**: a console named the reason. Then the fault ended, and the
  install went on to its end as above. For some faults the reason asks to start the host again;
  the campaign did so.
- **failed**: neither. That is a defect of cluster0.

A Python traceback in the journal of one of our programs is a failure, too. *Seconds* is the time
from the begin of the fault to the end of the install. Several faults may share an install, so it is
no time of recovery. What the reasons mean: [states](states.md), [validations](validations.md). A
fault of your own: `cluster0 lab fault --help`.
"""
