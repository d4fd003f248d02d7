"""The page and the JUnit file, from results."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

from tests.faults import report
from tests.faults.case import Case, Result, Verdict
from tests.faults.cases import cases
from tests.paths import REPOSITORY

CUT = Case(fault="power-cut", stage="init")
KILL = Case(fault="kill-agent", stage="discovery")
LOSS = Case(fault="packet-loss-5", stage="join", topology="pair", host="node1")
EVERY = (CUT, KILL, LOSS)


def result(case: Case, verdict: Verdict, *, seconds: float = 9, shown: str = "", detail: str = "") -> Result:
    return Result(case=case, verdict=verdict, seconds=seconds, shown=shown, detail=detail, commit="abc", at=0)


def test_results_are_kept_from_one_campaign_to_the_next(tmp_path: Path) -> None:
    file = tmp_path / "results.jsonl"
    first, second = result(CUT, Verdict.FAILED), result(KILL, Verdict.INSTALLED)
    report.append(file, [first])
    report.append(file, [second])
    assert report.load(file) == [first, second]
    assert report.load(tmp_path / "none") == []


def test_the_last_result_of_a_case_counts_unless_its_fault_did_not_begin() -> None:
    failed, installed, nothing = (
        result(CUT, verdict) for verdict in (Verdict.FAILED, Verdict.INSTALLED, Verdict.NOT_BEGUN)
    )
    assert report.latest([failed, installed, nothing])[CUT.name] == installed
    assert report.latest([installed, failed])[CUT.name] == failed


def test_the_page_has_a_row_for_each_result_and_names_what_was_not_run() -> None:
    shown = "cluster0: node0: problem key-unusable: node0's | service"
    page = report.markdown(
        [result(CUT, Verdict.REASON_SHOWN, shown=shown), result(KILL, Verdict.FAILED, detail="no\nway\x1b[2J")], EVERY
    )
    results, _, missing = page.partition("## Not run")
    assert (
        "| `power-cut` | init | node0 of sno, container | reason shown, then installed: cluster0: node0: problem"
        in page
    )
    assert "node0's \\| service | 9 | 1970-01-01, abc |" in results
    assert "| failed: no way[2J | 9 |" in results
    assert "| `packet-loss-5` | join | node1 of pair, container |" in missing
    assert "- 1: failed" in results
    assert "power-cut" not in missing


def test_a_fault_that_never_began_counts_as_not_run() -> None:
    page = report.markdown([result(CUT, Verdict.NOT_BEGUN, detail="no kubelet")], (CUT,))
    assert "| `power-cut` | init |" in page.partition("## Not run")[2]
    assert page.count("`power-cut`") == 1


def test_junit_tells_failures_from_faults_that_did_not_begin(tmp_path: Path) -> None:
    report.junit(
        [
            result(CUT, Verdict.FAILED, detail="why\x00"),
            result(KILL, Verdict.NOT_BEGUN, detail="no agent"),
            result(LOSS, Verdict.INSTALLED),
        ],
        tmp_path / "junit.xml",
    )
    cut, kill, loss = ElementTree.parse(tmp_path / "junit.xml").getroot()
    assert (cut[0].tag, cut[0].text, cut.get("time")) == ("failure", "why", "9")
    assert (kill[0].tag, kill[0].get("message")) == ("skipped", "no agent")
    assert len(loss) == 0


def test_a_page_with_all_results_says_so() -> None:
    page = report.markdown([result(CUT, Verdict.INSTALLED)], (CUT,))
    assert page.partition("## Not run")[2].strip() == "Each pair has a result."


def test_a_page_without_results_lists_every_case_as_not_run() -> None:
    rows = [line.split(" | ") for line in report.markdown([], cases()).splitlines() if line.startswith("| `")]
    assert sum(len(stages.split("; ")) for _, stages, _ in rows) == len(cases())


def test_the_page_says_when_the_host_had_to_be_started_again() -> None:
    case = Case(fault="disk-write-errors", stage="init", shows="problem", restart=True, alone=True)
    page = report.markdown([result(case, Verdict.REASON_SHOWN, shown="problem disk-write-failed")], (case,))
    assert "| reason shown, host started again, then installed: problem disk-write-failed |" in page


def test_the_published_page_is_the_one_of_the_published_results(tmp_path: Path) -> None:
    """Outdated: python -m tests.faults --page."""
    published = tmp_path / "faults.jsonl"
    published.write_bytes((REPOSITORY / "docs/faults.jsonl").read_bytes())
    report.publish([], cases(), published, tmp_path / "faults.md")
    assert (tmp_path / "faults.md").read_text() == (REPOSITORY / "docs/faults.md").read_text()


def test_published_results_are_added_to_those_before_and_replace_the_same_case(tmp_path: Path) -> None:
    kept, page = tmp_path / "faults.jsonl", tmp_path / "faults.md"
    report.publish([result(CUT, Verdict.FAILED), result(KILL, Verdict.INSTALLED)], EVERY, kept, page)
    report.publish([result(CUT, Verdict.INSTALLED), result(LOSS, Verdict.NOT_BEGUN)], EVERY, kept, page)
    assert [(each.case, each.verdict) for each in report.load(kept)] == [
        (CUT, Verdict.INSTALLED),
        (KILL, Verdict.INSTALLED),
    ]
    assert "- 2: installed" in page.read_text()
