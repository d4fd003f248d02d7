"""When `wait-for` ends, and with which result."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest

from agent.api.hosts import ValidationResult
from agent.model.intent import Role
from agent.model.states import ClusterStatus, HostStatus, Stage, ValidationStatus
from client.observe.observation import KubernetesView, NodeView, Observation, Reach
from client.observe.phase import InstallPhase
from client.wait_for.goal import Goal, Required
from client.wait_for.stall import LIMITS
from client.wait_for.tracker import InstallTracker
from tests.fakes.client.observations import (
    BOOTSTRAPPED,
    DOWN,
    again,
    answered,
    check,
    cluster,
    host,
    install_tracker,
    phases,
    target,
    unreachable,
)
from tests.fakes.inputs import intents


def test_permanent_failures_end_the_wait() -> None:
    tracker = install_tracker()
    bad = answered(cluster(ClusterStatus.INSUFFICIENT, host(checks=(check(ValidationStatus.FAILURE),)), info="No."))
    limit = LIMITS[InstallPhase.CHECKS_FAILING].seconds
    tracker.update(bad)
    tracker.update(again(bad, limit - 1))
    assert tracker.failed is None
    tracker.update(again(bad, limit))
    assert tracker.failed is not None
    assert (tracker.failed.code, tracker.failed.detail) == (
        "checks-failed",
        "host1: has-min-memory: 2 GiB of memory → Add memory.",
    )


def test_failures_that_may_pass_do_not_end_the_wait() -> None:
    tracker = install_tracker()
    late = ValidationResult(
        id="time-synced-between-host-and-service", status=ValidationStatus.FAILURE, message="90 s off"
    )
    now = answered(cluster(ClusterStatus.INSUFFICIENT, host(checks=(late,))))
    tracker.update(now)
    tracker.update(again(now, 10_000))
    assert tracker.failed is None


def test_a_change_restarts_the_limit() -> None:
    tracker = install_tracker()
    limit = LIMITS[InstallPhase.CHECKS_FAILING].seconds
    disk = ValidationResult(id="has-min-valid-disks", status=ValidationStatus.FAILURE, message="No disk.")
    one = cluster(ClusterStatus.INSUFFICIENT, host(checks=(check(ValidationStatus.FAILURE),)))
    other = cluster(ClusterStatus.INSUFFICIENT, host(checks=(disk,)))
    for at, seen in ((0, one), (limit - 1, other), (limit + 1, other)):
        tracker.update(answered(seen, at=at))
        assert tracker.failed is None


@pytest.mark.parametrize(
    ("observation", "phase", "code"),
    [
        (answered(cluster(ClusterStatus.READY, host())), InstallPhase.READY, "install-not-started"),
        (unreachable(Reach.UNTRUSTED), InstallPhase.SERVICE_UNTRUSTED, "service-untrusted"),
        (answered(cluster(ClusterStatus.INSTALLED, host())), InstallPhase.API_UNREACHABLE, "api-unreachable"),
    ],
)
def test_other_stalled_phases_end_the_wait(observation: Observation, phase: InstallPhase, code: str) -> None:
    tracker = install_tracker()
    tracker.update(observation)
    tracker.update(again(observation, LIMITS[phase].seconds))
    assert tracker.failed is not None
    assert tracker.failed.code == code


def test_a_failed_host_ends_the_wait_of_an_installed_cluster() -> None:
    """node0 declares the cluster installed without the failed host; `wait-for` requires every host."""
    limit = LIMITS[InstallPhase.INSTALLED].seconds
    failed_host = host(2, status=HostStatus.ERROR, info="Failed at stage 'Writing image to disk'.")
    for second, code in ((failed_host, "install-failed"), (host(2, status=HostStatus.INSTALLING_IN_PROGRESS), None)):
        tracker = install_tracker(Goal.INSTALL_COMPLETE, intents.host(1), intents.host(2))
        now = answered(cluster(ClusterStatus.INSTALLED, host(1), second), kubernetes=BOOTSTRAPPED)
        tracker.update(now)
        assert tracker.failed is None
        tracker.update(again(now, limit))
        assert not tracker.reached
        assert (tracker.failed and tracker.failed.code) == code


def test_a_missing_worker_ends_the_wait_of_an_installed_cluster() -> None:
    """The inputs may allow an install without this worker; `wait-for` requires every host and names the missing one."""
    tracker = install_tracker(Goal.INSTALL_COMPLETE, intents.host(1), intents.host(2))
    now = answered(cluster(ClusterStatus.INSTALLED, host(1, status=HostStatus.INSTALLED)), kubernetes=BOOTSTRAPPED)
    tracker.update(now)
    assert tracker.failed is None
    tracker.update(again(now, LIMITS[InstallPhase.INSTALLED].seconds))
    assert tracker.failed is not None
    assert (tracker.failed.code, tracker.failed.detail) == ("install-failed", "host2: it has not registered.")


def test_hosts_that_need_the_user_end_the_wait_though_node0_waits_longer() -> None:
    tracker = install_tracker()
    failed_host = host(2, status=HostStatus.ERROR, info="Failed at stage 'Writing image to disk'.")
    now = answered(cluster(ClusterStatus.INSTALLING_PENDING_USER_ACTION, host(), failed_host, info="Failed hosts ..."))
    tracker.update(now)
    assert tracker.status is not None
    assert tracker.status.phase is InstallPhase.NEEDS_ATTENTION
    limit = LIMITS[InstallPhase.NEEDS_ATTENTION].seconds
    tracker.update(again(now, limit - 1))
    assert tracker.failed is None
    tracker.update(again(now, limit))
    assert tracker.failed is not None
    assert tracker.failed.detail == "host2: Failed at stage 'Writing image to disk'."


def test_an_unreachable_address_is_waited_for_until_the_deadline() -> None:
    tracker = install_tracker()
    tracker.update(unreachable(Reach.UNREACHABLE))
    tracker.update(unreachable(Reach.UNREACHABLE, at=100_000))
    assert tracker.failed is None


def test_without_workers_when_only_the_control_plane_is_required() -> None:
    ready = NodeView("host1", ready=True, control_plane=True)
    kubernetes = KubernetesView(answers=True, bootstrapped=True, nodes=(ready,))
    for status, reached in ((HostStatus.INSTALLING_IN_PROGRESS, False), (HostStatus.INSTALLED, True)):
        done = msgspec.structs.replace(host(status=status), suggested_role=Role.MASTER)
        late = msgspec.structs.replace(host(2), suggested_role=Role.WORKER)
        tracker = InstallTracker(
            Goal.INSTALL_COMPLETE, target(intents.host(1), intents.host(2)), required=Required.CONTROL_PLANE
        )
        tracker.update(answered(cluster(ClusterStatus.INSTALLING, done, late), kubernetes=kubernetes))
        assert tracker.reached is reached


def test_node0_may_be_unreachable_while_it_reboots() -> None:
    rebooting = cluster(ClusterStatus.INSTALLING, host(status=HostStatus.INSTALLING_IN_PROGRESS, stage=Stage.REBOOTING))
    back = cluster(ClusterStatus.INSTALLING, host(status=HostStatus.INSTALLING_IN_PROGRESS, stage=Stage.CONFIGURING))
    assert phases(
        answered(rebooting),
        unreachable(Reach.REFUSED),
        unreachable(Reach.UNREACHABLE),
        unreachable(Reach.REFUSED),
        answered(back),
    ) == [InstallPhase.INSTALLING, InstallPhase.NODE0_REBOOTING, InstallPhase.INSTALLING]


def test_an_unreachable_node0_before_the_reboot_is_not_rebooting() -> None:
    writing = cluster(ClusterStatus.INSTALLING, host(stage=Stage.WRITING_IMAGE))
    assert phases(answered(writing), unreachable(Reach.UNREACHABLE))[-1] is InstallPhase.ADDRESS_UNREACHABLE


def test_bootstrap_complete_follows_from_kubernetes() -> None:
    tracker = install_tracker(Goal.BOOTSTRAP_COMPLETE)
    tracker.update(unreachable(Reach.REFUSED, kubernetes=KubernetesView(answers=True)))
    assert not tracker.reached
    lines = tracker.update(unreachable(Reach.REFUSED, kubernetes=BOOTSTRAPPED))
    assert tracker.reached
    assert "The control plane is bootstrapped." in [line.message for line in lines]


@pytest.mark.parametrize(
    ("status", "nodes", "reached"),
    [
        (ClusterStatus.INSTALLED, (NodeView("host1", ready=True), NodeView("host2", ready=True)), True),
        (ClusterStatus.FINALIZING, (NodeView("host1", ready=True), NodeView("host2", ready=True)), False),
        (ClusterStatus.INSTALLED, (NodeView("host1", ready=True), NodeView("host2", ready=False)), False),
        (ClusterStatus.INSTALLED, (NodeView("host1", ready=True),), False),
        (ClusterStatus.INSTALLED, (), False),
    ],
)
def test_install_complete_needs_node0_and_kubernetes(
    status: ClusterStatus, nodes: tuple[NodeView, ...], reached: bool
) -> None:
    tracker = install_tracker(Goal.INSTALL_COMPLETE, intents.host(1), intents.host(2))
    kubernetes = KubernetesView(answers=True, bootstrapped=True, nodes=nodes)
    tracker.update(answered(cluster(status, host(1), host(2)), kubernetes=kubernetes))
    assert tracker.reached is reached


def test_without_node0s_service_the_clusters_own_record_decides() -> None:
    """Kubernetes still reports node0's node as Ready while node0 reboots."""
    tracker = install_tracker()
    tracker.update(unreachable(Reach.REFUSED, at=100, kubernetes=BOOTSTRAPPED))
    tracker.update(unreachable(Reach.UNREACHABLE, at=1000, kubernetes=BOOTSTRAPPED))
    assert not tracker.reached
    tracker.update(unreachable(Reach.REFUSED, at=1010, kubernetes=replace(BOOTSTRAPPED, installed=True)))
    assert tracker.reached


@pytest.mark.parametrize(("kubernetes", "code"), [(DOWN, "bootstrap-failed"), (BOOTSTRAPPED, "install-failed")])
def test_a_failed_install_ends_the_wait(kubernetes: KubernetesView, code: str) -> None:
    tracker = install_tracker()
    tracker.update(answered(cluster(ClusterStatus.INSTALLING, host()), kubernetes=kubernetes))
    assert tracker.failed is None
    broken = host(status=HostStatus.ERROR, info="Failed at stage 'Installing': disk-too-small")
    tracker.update(answered(cluster(ClusterStatus.ERROR, broken, info="No control plane is left.")))
    assert tracker.failed is not None
    assert tracker.failed.code == code
    assert "No control plane is left." in tracker.failed.title
    assert tracker.failed.detail == "host1: Failed at stage 'Installing': disk-too-small"
    assert tracker.failed.remedy
