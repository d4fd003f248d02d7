"""The console: its page, its lines, and when it prints them."""

from __future__ import annotations

import os
import pty
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from agent.console.app import Terminal, new_lines
from agent.console.page import COLUMNS, ROWS, render
from agent.console.view import View, read
from agent.console.words import WHAT_TO_DO, lines
from agent.machine.inotify import replacements
from agent.model.host_documents import AgentPhase, AgentStatus, ClusterStatusFile, HostLine, HostMatch, NetworkReport
from agent.model.problems import ProblemReport
from tests.fakes.agent.machine import machine_in

PROBLEM = ProblemReport(
    code="disk-too-small",
    title="/dev/vda is 4 GiB, a control-plane host needs 20 GiB",
    detail="NAME SIZE\nvda  4G",
    remedy="Use a larger disk.",
)
CLUSTER = ClusterStatusFile(
    name="demo",
    status="installing",
    status_info="Installation in progress",
    hosts=(HostLine(name="host1", status="installing-in-progress", detail="Writing image to disk 37%"),),
)


def view(
    phase: AgentPhase, detail: str = "", *problems: ProblemReport, cluster: ClusterStatusFile | None = None
) -> View:
    status = AgentStatus(
        phase=phase,
        hostname="host1",
        addresses=("192.0.2.10",),
        rendezvous_ip="192.0.2.10",
        is_node0=True,
        detail=detail,
        problems=problems,
    )
    return View(hostname="host1", version="0.1.0", status=status, cluster=cluster)


VIEWS = {
    "starting": View(hostname="localhost", version="0.1.0"),
    "installing": view(AgentPhase.INSTALLING, "Writing image to disk 37%", cluster=CLUSTER),
    "failed": view(AgentPhase.FAILED, PROBLEM.title, PROBLEM),
}


@pytest.mark.parametrize("name", VIEWS)
def test_each_console_page_is_its_golden_text(name: str, golden: Callable[[str, str], None]) -> None:
    golden(f"console/{name}.txt", render(VIEWS[name]))


@pytest.mark.parametrize("phase", AgentPhase)
def test_every_console_page_fits_the_screen_and_has_a_remedy(phase: AgentPhase) -> None:
    many = tuple(HostLine(name=f"host{number}", status="known", detail="x" * 200) for number in range(40))
    cluster = ClusterStatusFile(name="demo", status="ready", status_info="y" * 400, hosts=many)
    page = render(view(phase, "z" * 300, PROBLEM, PROBLEM, cluster=cluster))
    assert page.count("\n") < ROWS
    assert max(map(len, page.splitlines())) <= COLUMNS
    assert page.isascii()
    assert WHAT_TO_DO[phase].split(".")[0][:60] in page
    assert "... and more" in page


def test_console_lines_have_the_wording_that_tests_wait_for() -> None:
    assert list(lines(VIEWS["installing"])) == [
        "cluster0: host1: address 192.0.2.10",
        "cluster0: host1: this is node0",
        "cluster0: host1: installing: Writing image to disk 30%",
        "cluster0: cluster demo: installing: Installation in progress",
        "cluster0: cluster demo: host host1: installing-in-progress: Writing image to disk 30%",
    ]
    assert list(lines(VIEWS["failed"]))[:4] == [
        "cluster0: host1: problem disk-too-small: /dev/vda is 4 GiB, a control-plane host needs 20 GiB",
        "cluster0: host1:     NAME SIZE",
        "cluster0: host1:     vda  4G",
        "cluster0: host1:     Use a larger disk.",
    ]


def test_only_changed_console_lines_are_printed() -> None:
    before = view(AgentPhase.INSTALLING, "Writing image to disk 31%")
    assert new_lines(before, view(AgentPhase.INSTALLING, "Writing image to disk 38%")) == ""
    assert new_lines(before, view(AgentPhase.REBOOTING)) == "\rcluster0: host1: rebooting\r\n"


def test_problems_of_every_stage_are_shown() -> None:
    stages = View(
        match=HostMatch(index=-1, why="", problems=(PROBLEM,)), network=NetworkReport(problems=(PROBLEM, PROBLEM))
    )
    assert len(stages.problems) == 3


def test_the_console_reads_the_files_of_agent_and_node0(tmp_path: Path) -> None:
    machine = machine_in(tmp_path, hostname="host1")
    assert read(machine) == View(hostname="host1")
    machine.files.save("/run/cluster0/cluster-status.json", CLUSTER)
    node0 = AgentStatus(phase=AgentPhase.REGISTERED, is_node0=True)
    machine.files.save("/run/cluster0/status.json", node0)
    assert (read(machine).status, read(machine).cluster) == (node0, CLUSTER)


def test_a_former_node0_does_not_show_the_outdated_cluster(tmp_path: Path) -> None:
    machine = machine_in(tmp_path)
    machine.files.save("/run/cluster0/cluster-status.json", CLUSTER)
    machine.files.save("/run/cluster0/status.json", AgentStatus(phase=AgentPhase.REGISTERED, is_node0=False))
    assert read(machine).cluster is None


def test_a_replaced_status_file_is_shown_at_once(tmp_path: Path) -> None:
    files = machine_in(tmp_path).files
    files.write("/run/cluster0/status.json", "1")
    changes = replacements(files.at("/run/cluster0"))
    next(changes)
    writer = threading.Thread(target=lambda: files.write("/run/cluster0/status.json", "2"))
    writer.start()
    next(changes)
    assert files.read("/run/cluster0/status.json") == "2"
    writer.join()
    changes.close()


def test_the_console_writes_its_page_to_a_terminal() -> None:
    controller, terminal = pty.openpty()
    Terminal(os.ttyname(terminal)).write("cluster0: host1: registered\r\n")
    assert b"cluster0: host1: registered" in os.read(controller, 100)
    os.close(controller)
    os.close(terminal)
