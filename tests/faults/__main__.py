"""`make faults`: faults at every stage of real installs, on clusters of containers and of virtual machines.

Ends by itself. Each result is written when it is there, into RESULTS/results.jsonl; at the end RESULTS has report.md
and junit.xml of this run. RESULTS/logs has a log of each install, and RESULTS/evidence the hosts of those that failed.
An interrupted campaign takes its labs down.
"""

from __future__ import annotations

import argparse
import fnmatch
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from cli.progress import say
from tests.base_iso import built_base_iso, own_base_iso
from tests.faults import report
from tests.faults.campaign import Campaign
from tests.faults.case import Case, Result, Verdict
from tests.faults.cases import cases
from tests.faults.interrupt import raise_on_sigterm
from tests.faults.plan import plan
from tests.paths import REPOSITORY

LONGEST_DETAIL = 400
PAGE, PUBLISHED = REPOSITORY / "docs/faults.md", REPOSITORY / "docs/faults.jsonl"


def main() -> int:
    """Exit code 1 when the product failed, 2 when nothing was tried."""
    arguments = _parser().parse_args()
    arguments.results.mkdir(parents=True, exist_ok=True)
    kept = arguments.results / "results.jsonl"
    if arguments.page:
        report.publish(report.load(kept), cases(), PUBLISHED, PAGE)
        return 0
    raise_on_sigterm()
    chosen = _chosen(arguments, kept)
    say(f"{len(chosen)} cases, seed {arguments.seed}")
    if arguments.list:
        for install in plan(chosen, arguments.seed):
            say("\n".join(["an install:", *(f"  {case.name}" for case in install)]))
        return 0
    results = _run(chosen, arguments, kept)
    report.junit(results, arguments.results / "junit.xml")
    (arguments.results / "report.md").write_text(report.markdown(results, chosen))
    return 1 if any(result.verdict is Verdict.FAILED for result in results) else 0 if results else 2


def _run(chosen: list[Case], arguments: argparse.Namespace, kept: Path) -> list[Result]:
    """Installs until all faults have been tried, or the time is over."""
    deadline = time.monotonic() + arguments.minutes * 60
    results: list[Result] = []
    with tempfile.TemporaryDirectory(prefix="cluster0-faults-", dir=arguments.results) as labs:
        base_iso = own_base_iso(arguments.base_iso or built_base_iso(), Path(labs))
        campaign = Campaign(arguments.results, Path(labs), base_iso, _commit(), arguments.jobs)
        for came in campaign.run(chosen, arguments.seed, deadline):
            report.append(kept, came)
            results += came
            for result in came:
                detail = report.plain(result.detail)[:LONGEST_DETAIL]
                say(f"{result.verdict}: {result.case.name}, {result.seconds:.0f} s {result.shown} {detail}".rstrip())
    return results


def _chosen(arguments: argparse.Namespace, kept: Path) -> list[Case]:
    names = {result.case.name for result in report.load(kept) if result.verdict.is_result}
    return [
        case
        for case in cases()
        if any(fnmatch.fnmatch(case.name, pattern) for pattern in arguments.only or ["*"])
        and not (arguments.new and case.name in names)
    ]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument(
        "--seed", type=int, default=random.randrange(1000), help="which faults share an install, and when"
    )
    parser.add_argument(
        "--only", action="append", metavar="GLOB", help="cases by name: MACHINES/TOPOLOGY/HOST/STAGE/FAULT"
    )
    parser.add_argument("--minutes", type=float, default=240, help="begin no install after this time (default: 240)")
    parser.add_argument("--jobs", type=int, default=2, help="installs at the same time, on containers (default: 2)")
    parser.add_argument("--new", action="store_true", help="leave out cases that have a result")
    parser.add_argument("--list", action="store_true", help="print the plan, and run nothing")
    parser.add_argument(
        "--page",
        action="store_true",
        help="add the results to docs/faults.jsonl, write docs/faults.md, and run nothing",
    )
    parser.add_argument(
        "--results", type=Path, default=Path("faults"), help="directory for the results (default: faults)"
    )
    parser.add_argument("--base-iso", type=Path, help="default: `cluster0 image build`")
    return parser


def _commit() -> str:
    argv = ["git", "-C", str(REPOSITORY), "rev-parse", "--short", "HEAD"]
    return subprocess.run(argv, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
