"""What a host sends cannot control a terminal, nor forge a line, wherever people read it."""

from __future__ import annotations

import io
import json
import logging
import sys
import tarfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import click
import msgspec
import pytest
from rich.console import Console

from agent.api.events import Event
from agent.api.hosts import Host
from agent.console import page, words
from agent.console.app import new_lines
from agent.console.view import View
from agent.model.host_documents import AgentPhase, AgentStatus, ClusterStatusFile, HostLine, HostMatch
from agent.model.journal import JournalFormatter, say
from agent.model.problems import Problem
from agent.model.states import ClusterStatus, EventSeverity, HostStatus, ValidationStatus
from cli.failures import explained
from cli.json_output import echo_json
from cli.options import Output, output_option
from cli.table import print_table
from client.events import cli as events_cli
from client.gather import cli as gather_cli
from client.gather.archive import ArchivedSource, new_archive
from client.hosts import cli as hosts_cli
from client.hosts.rows import HEADER, cells, rows
from client.observe.observation import Observation
from client.observe.peer_failures import PeerFailure
from client.remote.ssh import Login, _failure
from client.status import cli as status_cli
from client.status.report import report
from client.wait_for.goal import Goal
from client.wait_for.progress_bars import render
from client.wait_for.progress_view import HostProgressView, ProgressView
from client.wait_for.text import still, text
from node0.trust.scrub import Scrubber
from tests.fakes.client import observations
from tests.fakes.inputs import intents

ATTACK = "x\x1b[2J\x1b]0;title\x07\r\nFORGED\rFORGED\x0bFORGED\x85FORGED\u2028FORGED\x9b31m\x7f\u202egnp\u2066\u200b"

PROBLEM = Problem(code=ATTACK, title=ATTACK, detail=f"{ATTACK}\n{ATTACK}", remedy=ATTACK)


def host() -> Host:
    check = observations.check(ValidationStatus.FAILURE, message=ATTACK, remedy=ATTACK)
    made = observations.host(1, status=HostStatus.ERROR, checks=(check,), stage=ATTACK, stage_info=ATTACK, info=ATTACK)
    return msgspec.structs.replace(made, requested_hostname=ATTACK)


def observed() -> Observation:
    failed = observations.host(2, checks=(observations.check(ValidationStatus.FAILURE, ATTACK, ATTACK),))
    event = Event(id=1, name="a", severity=EventSeverity.ERROR, message=ATTACK, event_time=ATTACK, host_id="id-1")
    seen = observations.answered(
        observations.cluster(ClusterStatus.INSUFFICIENT, host(), failed, info=ATTACK), event, kubernetes=KUBERNETES
    )
    pair = PeerFailure(ATTACK, ATTACK, ATTACK, ATTACK, ATTACK, ATTACK)
    return replace(seen, service=replace(seen.service, why=ATTACK, peer_failures=frozenset({pair})))


KUBERNETES = replace(observations.DOWN, why=ATTACK)


def assert_harmless(output: str, what: str) -> None:
    """`output`: without the colours that are our own."""
    assert "x" in output, f"{what} shows nothing"
    for line in click.unstyle(output).split("\n"):
        strange = {char for char in line if not char.isprintable() and char != "\t"}
        assert not strange, f"{what}: {strange} in {line!r}"
        assert not line.startswith("FORGED"), f"{what}: {line!r}"


def wait_for_lines() -> str:
    tracker = observations.install_tracker(Goal.INSTALL_COMPLETE, intents.host(1), intents.host(2))
    lines = [*tracker.update(observed()), *tracker.update(replace(observed(), at=1.0))]
    assert any(line.matrix for line in lines)
    view = ProgressView(5, ATTACK, (HostProgressView(ATTACK, HostStatus.ERROR, 5, ATTACK, ATTACK),))
    with (console := Console(file=io.StringIO(), width=200)).capture() as bars:
        console.print(render(view, width=200, height=50))
    return "\n".join([*(text(line, width) for line in lines for width in (40, 400)), still(view), bars.get()])


def consoles() -> str:
    cluster = ClusterStatusFile(
        name=ATTACK, status=ATTACK, status_info=ATTACK, problems=(PROBLEM.report(),),
        hosts=(HostLine(name=ATTACK, status=ATTACK, detail=ATTACK),),
    )  # fmt: skip
    status = AgentStatus(
        phase=AgentPhase.WAITING_FOR_NODE0, hostname=ATTACK, addresses=(ATTACK,), rendezvous_ip=ATTACK, node0=ATTACK,
        detail=ATTACK, problems=(PROBLEM.report(),), conflicts=(PROBLEM.report(),),
    )  # fmt: skip
    view = View(
        hostname=ATTACK, version=ATTACK, status=status, cluster=cluster,
        match=HostMatch(index=-1, why=ATTACK, problems=(PROBLEM.report(),)),
    )  # fmt: skip
    serial = new_lines(View(), view)
    assert serial.count("\r") == 2 * len(list(words.lines(view)))  # ours, around each line
    return serial.replace("\r", "") + page.render(view)


def journal() -> str:
    try:
        raise ValueError(ATTACK)
    except ValueError:
        failure = sys.exc_info()
    record = logging.LogRecord("agent", logging.ERROR, "", 0, "%s %s", (ATTACK, PROBLEM), failure)
    say(str(PROBLEM))
    return JournalFormatter("%(name)s: %(message)s").format(record)


def failed_command(output: Output) -> str:
    """The words of SSH are a host's, too."""

    @click.command()
    @output_option
    @click.pass_context
    def fail(context: click.Context, output: Output) -> None:
        with explained(context):
            raise _failure(Login(), ATTACK, 1, f"{ATTACK}\n{PROBLEM}")

    with pytest.raises(SystemExit):
        fail(args=["-o", output.value])
    return ""


def tables() -> str:
    now, target = observed(), observations.target(intents.host(1))
    status_cli._print(report(now, target, (PROBLEM.report(),)))
    if now.service.cluster:
        print_table(HEADER, cells(rows(now.service.cluster, target)))
    hosts_cli._print(host(), "is approved.", Output.TEXT)
    return ""


def event_lines() -> str:
    for output in Output:
        events_cli._print(observed().service.events[0], output)
    return ""


def sources() -> str:
    gather_cli._report(ArchivedSource(name=ATTACK, why=ATTACK))
    gather_cli._report(ArchivedSource(name=ATTACK, files=1))
    return ""


EXITS: dict[str, Callable[[], str]] = {
    "wait-for": wait_for_lines,
    "consoles": consoles,
    "journal": journal,
    "status and hosts": tables,
    "events": event_lines,
    "gather": sources,
    "a failure": lambda: failed_command(Output.TEXT),
    "a failure as JSON": lambda: failed_command(Output.JSON),
}


@pytest.mark.parametrize("name", EXITS)
def test_what_a_host_sends_controls_no_terminal_and_forges_no_line(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = EXITS[name]()
    captured = capsys.readouterr()
    assert_harmless(shown + captured.out + captured.err, name)


def test_json_for_programs_has_the_same_value(capsys: pytest.CaptureFixture[str]) -> None:
    sent = ATTACK + "\U000e0041é"
    echo_json({"name": sent})
    shown = capsys.readouterr().out
    assert json.loads(shown) == {"name": sent}
    assert_harmless(shown, "JSON")


def test_names_of_files_in_a_support_archive_are_harmless(tmp_path: Path) -> None:
    with new_archive(tmp_path / "a.tar.gz", Scrubber(())) as archive:
        archive.add(f"hosts/{ATTACK}/log", b"token: abcdef.0123456789abcdef")
    with tarfile.open(tmp_path / "a.tar.gz") as made:
        assert_harmless("\n".join(made.getnames()), "the archive")
    assert_harmless("\n".join(archive.removed), "its manifest")
