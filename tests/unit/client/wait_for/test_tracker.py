"""The lines of `wait-for`, observation by observation."""

from __future__ import annotations

import msgspec

from agent.api.events import Event
from agent.api.hosts import HostProgress
from agent.model.states import ClusterStatus, EventSeverity, HostStatus, Stage, ValidationStatus
from client.observe.observation import ApiNameView, KubernetesView, NodeView, Reach
from client.observe.phase import InstallPhase
from client.wait_for.goal import Goal
from client.wait_for.lines import LineKind
from tests.fakes.client.observations import (
    BOOTSTRAPPED,
    DOWN,
    answered,
    check,
    cluster,
    host,
    install_tracker,
    of_kind,
    phases,
    unreachable,
)
from tests.fakes.inputs import intents


def test_an_unreachable_service_has_three_phases_each_reported_once() -> None:
    assert phases(
        unreachable(Reach.UNREACHABLE),
        unreachable(Reach.UNREACHABLE),
        unreachable(Reach.REFUSED),
        unreachable(Reach.UNTRUSTED),
        unreachable(Reach.UNREACHABLE, kubernetes=BOOTSTRAPPED),
    ) == [
        InstallPhase.ADDRESS_UNREACHABLE,
        InstallPhase.SERVICE_DOWN,
        InstallPhase.SERVICE_UNTRUSTED,
        InstallPhase.SERVICE_DOWN,
    ]


def test_an_unreachable_api_is_reported_once_node0_is_done() -> None:
    tracker = install_tracker()
    tracker.update(answered(cluster(ClusterStatus.FINALIZING, host(), info="Finalizing.")))
    done = cluster(ClusterStatus.INSTALLED, host(), info="The cluster is installed.")
    no_answer = KubernetesView(answers=False, why="No answer from the Kubernetes API at https://…: connection refused")
    (line,) = tracker.update(answered(done, kubernetes=no_answer))
    assert (line.phase, line.severity) == (InstallPhase.API_UNREACHABLE, EventSeverity.WARNING)
    assert line.message.endswith(f"does not answer this computer. {no_answer.why}")
    assert "https://192.168.122.10:6443" in line.remedy
    assert tracker.update(answered(done, kubernetes=DOWN)) == [], "a different reason prints no line"
    tracker.update(answered(done, kubernetes=BOOTSTRAPPED))
    assert tracker.reached


def test_missing_hosts_are_named_with_their_macs() -> None:
    hosts = (intents.host(1), intents.host(2))
    tracker = install_tracker(Goal.INSTALL_COMPLETE, *hosts)
    (line,) = tracker.update(answered(cluster(ClusterStatus.INSUFFICIENT, host(1))))
    assert line.phase is InstallPhase.WAITING_FOR_HOSTS
    assert line.message == "These hosts have not registered: host2 (52:54:00:00:00:02)."
    assert line.remedy


def test_a_host_without_inventory_may_be_any_missing_host() -> None:
    hosts = (intents.host(1), intents.host(2))
    unknown = host(2, status=HostStatus.DISCOVERING, inventory=False)
    tracker = install_tracker(Goal.INSTALL_COMPLETE, *hosts)
    (line,) = tracker.update(answered(cluster(ClusterStatus.INSUFFICIENT, host(1), unknown)))
    assert line.message == "Waiting for the inventory of host2."


def test_a_cluster_that_is_ready_without_all_hosts_waits_for_them() -> None:
    tracker = install_tracker(Goal.INSTALL_COMPLETE, intents.host(1), intents.host(2))
    (line,) = tracker.update(answered(cluster(ClusterStatus.READY, host(1), info="Ready.")))
    assert line.phase is InstallPhase.WAITING_FOR_HOSTS
    assert "host2 (52:54:00:00:00:02)" in line.message


def test_unmatched_hosts_are_reported() -> None:
    tracker = install_tracker(Goal.INSTALL_COMPLETE, intents.host(1))
    (line,) = tracker.update(answered(cluster(ClusterStatus.INSUFFICIENT, host(9))))
    assert "host9 does not take part" in line.message


def test_a_check_has_a_line_when_it_fails_changes_and_succeeds_again() -> None:
    tracker = install_tracker()
    bad, worse = check(ValidationStatus.FAILURE), check(ValidationStatus.FAILURE, "1 GiB of memory")
    lines = []
    for verdict in (bad, bad, worse, check(ValidationStatus.SUCCESS), check(ValidationStatus.SUCCESS)):
        now = answered(cluster(ClusterStatus.INSUFFICIENT, host(checks=(verdict,)), info="not yet"))
        lines += of_kind(LineKind.CHECK, tracker.update(now))
    assert [(line.host, line.check, line.message, line.severity) for line in lines] == [
        ("host1", "has-min-memory", "2 GiB of memory", EventSeverity.WARNING),
        ("host1", "has-min-memory", "1 GiB of memory", EventSeverity.WARNING),
        ("host1", "has-min-memory", "holds now", EventSeverity.INFO),
    ]
    assert lines[0].remedy == "Add memory."


def test_pending_validations_are_no_failures() -> None:
    now = answered(cluster(ClusterStatus.INSUFFICIENT, host(checks=(check(ValidationStatus.PENDING),))))
    assert of_kind(LineKind.CHECK, install_tracker().update(now)) == []


def test_each_stage_has_one_line_with_the_percentage() -> None:
    tracker = install_tracker()
    lines = []
    for stage, percent in ((Stage.INSTALLING, 12), (Stage.INSTALLING, 13), (Stage.WRITING_IMAGE, 20)):
        now = answered(cluster(ClusterStatus.INSTALLING, host(stage=stage), percent=percent))
        lines += of_kind(LineKind.STAGE, tracker.update(now))
    assert [(line.stage, line.percent) for line in lines] == [("Installing", 12), ("Writing image to disk", 20)]
    assert tracker.view.percent == 20


def test_the_progress_view_has_each_hosts_stage_and_its_duration() -> None:
    tracker = install_tracker()
    tracker.update(answered(cluster(ClusterStatus.READY, host(), info="The cluster is ready to be installed.")))
    assert tracker.view.words == "The cluster is ready to be installed."
    writing = host(stage=Stage.WRITING_IMAGE, stage_info="37%")
    tracker.update(answered(cluster(ClusterStatus.INSTALLING, writing, host(2, stage=Stage.INSTALLING)), at=10))
    tracker.update(answered(cluster(ClusterStatus.INSTALLING, writing, host(2, stage=Stage.WRITING_IMAGE)), at=75))
    assert [(shown.name, shown.words, shown.seconds) for shown in tracker.view.hosts] == [
        ("host1", "Writing image to disk 37%", 65),
        ("host2", "Writing image to disk", 0),
    ]
    tracker.update(unreachable(Reach.UNREACHABLE, at=80))
    assert tracker.view.words.startswith("node0 (192.168.122.10) cannot be reached.")
    assert tracker.view.hosts[0].seconds == 70


def test_a_stage_that_began_before_the_first_observation_has_its_whole_duration() -> None:
    began = HostProgress(
        current_stage=Stage.INSTALLING,
        stage_started_at="2026-01-01T00:00:00.000Z",
        stage_updated_at="2026-01-01T00:01:30.000Z",
    )
    tracker = install_tracker()
    tracker.update(answered(cluster(ClusterStatus.INSTALLING, msgspec.structs.replace(host(), progress=began)), at=5))
    assert tracker.view.hosts[0].seconds == 90


def test_a_change_of_the_api_by_name_has_a_line() -> None:
    tracker = install_tracker()
    lines = []
    for why in ("the name does not resolve on this computer", "the name does not resolve on this computer", ""):
        by_name = ApiNameView("api.demo.example.com", why)
        kubernetes = KubernetesView(answers=True, by_name=by_name)
        lines += of_kind(LineKind.KUBERNETES, tracker.update(unreachable(Reach.REFUSED, kubernetes=kubernetes)))
    assert [line.message for line in lines[1:]] == [
        "The Kubernetes API answers by its address, but not as api.demo.example.com: "
        "the name does not resolve on this computer.",
        "The Kubernetes API answers as api.demo.example.com too.",
    ]


def test_node0s_events_are_reported() -> None:
    event = Event(id=7, name="x", severity=EventSeverity.WARNING, message="words", event_time="")
    (line,) = of_kind(LineKind.EVENT, install_tracker().update(answered(None, event)))
    assert (line.event, line.message, line.severity) == (7, "words", EventSeverity.WARNING)


def test_a_change_of_a_node_has_a_line() -> None:
    tracker = install_tracker()
    lines = []
    for node in (NodeView("host1", ready=False, why="no CNI"), NodeView("host1", ready=True)):
        kubernetes = KubernetesView(answers=True, nodes=(node,))
        lines += of_kind(LineKind.KUBERNETES, tracker.update(unreachable(Reach.REFUSED, kubernetes=kubernetes)))
    lines += of_kind(LineKind.KUBERNETES, tracker.update(unreachable(Reach.REFUSED)))
    assert [line.message for line in lines] == [
        "The Kubernetes API answers.",
        "Node host1 is not Ready: no CNI",
        "Node host1 is Ready",
        "The Kubernetes API does not answer any more.",
    ]
