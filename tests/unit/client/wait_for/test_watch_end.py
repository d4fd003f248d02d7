"""When `wait-for` ends, and as what."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest

from agent.api.hosts import Validation
from agent.model.intent import Role
from agent.model.states import ClusterStatus, HostStatus, Stage, ValidationStatus
from client.observe.observation import KubernetesView, NodeView, Observation, Reach
from client.observe.phase import Situation
from client.wait_for.stall import LIMITS
from client.wait_for.verdict import Goal, Required
from client.wait_for.watch import Watch
from tests.fakes.client.observations import (
    BOOTSTRAPPED,
    DOWN,
    again,
    answered,
    check,
    cluster,
    host,
    silent,
    situations,
    target,
    watch,
)
from tests.fakes.inputs import intents


def test_checks_that_never_mend_themselves_end_the_wait() -> None:
    looking = watch()
    bad = answered(cluster(ClusterStatus.INSUFFICIENT, host(checks=(check(ValidationStatus.FAILURE),)), info="No."))
    limit = LIMITS[Situation.CHECKS_FAILING].seconds
    looking.see(bad)
    looking.see(again(bad, limit - 1))
    assert looking.failed is None
    looking.see(again(bad, limit))
    assert looking.failed is not None
    assert (looking.failed.code, looking.failed.detail) == (
        "checks-failed",
        "host1: has-min-memory: 2 GiB of memory → Add memory.",
    )


def test_checks_that_may_yet_hold_do_not() -> None:
    looking = watch()
    late = Validation(id="time-synced-between-host-and-service", status=ValidationStatus.FAILURE, message="90 s off")
    now = answered(cluster(ClusterStatus.INSUFFICIENT, host(checks=(late,))))
    looking.see(now)
    looking.see(again(now, 10_000))
    assert looking.failed is None


def test_what_changes_has_its_time_again() -> None:
    looking = watch()
    limit = LIMITS[Situation.CHECKS_FAILING].seconds
    disk = Validation(id="has-min-valid-disks", status=ValidationStatus.FAILURE, message="No disk.")
    one = cluster(ClusterStatus.INSUFFICIENT, host(checks=(check(ValidationStatus.FAILURE),)))
    other = cluster(ClusterStatus.INSUFFICIENT, host(checks=(disk,)))
    for at, seen in ((0, one), (limit - 1, other), (limit + 1, other)):
        looking.see(answered(seen, at=at))
        assert looking.failed is None


@pytest.mark.parametrize(
    ("observation", "situation", "code"),
    [
        (answered(cluster(ClusterStatus.READY, host())), Situation.READY, "install-not-started"),
        (silent(Reach.UNTRUSTED), Situation.SERVICE_UNTRUSTED, "service-untrusted"),
        (answered(cluster(ClusterStatus.INSTALLED, host())), Situation.API_UNREACHABLE, "api-unreachable"),
    ],
)
def test_other_dead_ends(observation: Observation, situation: Situation, code: str) -> None:
    looking = watch()
    looking.see(observation)
    looking.see(again(observation, LIMITS[situation].seconds))
    assert looking.failed is not None
    assert looking.failed.code == code


def test_an_installed_cluster_without_a_failed_host_is_not_what_was_asked_for() -> None:
    """node0 is content with two workers; the wait is for all, and the third will not come by itself."""
    limit = LIMITS[Situation.INSTALLED].seconds
    lost = host(2, status=HostStatus.ERROR, info="Failed at stage 'Writing image to disk'.")
    for second, code in ((lost, "install-failed"), (host(2, status=HostStatus.INSTALLING_IN_PROGRESS), None)):
        looking = watch(Goal.INSTALL_COMPLETE, intents.host(1), intents.host(2))
        now = answered(cluster(ClusterStatus.INSTALLED, host(1), second), kubernetes=BOOTSTRAPPED)
        looking.see(now)
        assert looking.failed is None
        looking.see(again(now, limit))
        assert not looking.reached
        assert (looking.failed and looking.failed.code) == code


def test_an_installed_cluster_without_a_worker_that_never_came_is_not_waited_for() -> None:
    """The inputs may say that the install goes on without workers; the wait is for all, and says who is missing."""
    looking = watch(Goal.INSTALL_COMPLETE, intents.host(1), intents.host(2))
    now = answered(cluster(ClusterStatus.INSTALLED, host(1, status=HostStatus.INSTALLED)), kubernetes=BOOTSTRAPPED)
    looking.see(now)
    assert looking.failed is None
    looking.see(again(now, LIMITS[Situation.INSTALLED].seconds))
    assert looking.failed is not None
    assert (looking.failed.code, looking.failed.detail) == ("install-failed", "host2: it has not registered.")


def test_hosts_that_nobody_sees_to_end_the_wait_and_node0_goes_on_waiting() -> None:
    looking = watch()
    lost = host(2, status=HostStatus.ERROR, info="Failed at stage 'Writing image to disk'.")
    now = answered(cluster(ClusterStatus.INSTALLING_PENDING_USER_ACTION, host(), lost, info="Failed hosts ..."))
    looking.see(now)
    assert looking.standing is not None
    assert looking.standing.situation is Situation.NEEDS_ATTENTION
    limit = LIMITS[Situation.NEEDS_ATTENTION].seconds
    looking.see(again(now, limit - 1))
    assert looking.failed is None
    looking.see(again(now, limit))
    assert looking.failed is not None
    assert looking.failed.detail == "host2: Failed at stage 'Writing image to disk'."


def test_an_address_nobody_has_yet_is_waited_for_until_the_deadline() -> None:
    looking = watch()
    looking.see(silent(Reach.UNREACHABLE))
    looking.see(silent(Reach.UNREACHABLE, at=100_000))
    assert looking.failed is None


def test_without_workers_when_told_so() -> None:
    ready = NodeView("host1", ready=True, control_plane=True)
    kubernetes = KubernetesView(answers=True, bootstrapped=True, nodes=(ready,))
    for status, reached in ((HostStatus.INSTALLING_IN_PROGRESS, False), (HostStatus.INSTALLED, True)):
        done = msgspec.structs.replace(host(status=status), suggested_role=Role.MASTER)
        late = msgspec.structs.replace(host(2), suggested_role=Role.WORKER)
        looking = Watch(
            Goal.INSTALL_COMPLETE, target(intents.host(1), intents.host(2)), required=Required.CONTROL_PLANE
        )
        looking.see(answered(cluster(ClusterStatus.INSTALLING, done, late), kubernetes=kubernetes))
        assert looking.reached is reached


def test_node0_may_be_silent_while_it_reboots() -> None:
    rebooting = cluster(ClusterStatus.INSTALLING, host(status=HostStatus.INSTALLING_IN_PROGRESS, stage=Stage.REBOOTING))
    back = cluster(ClusterStatus.INSTALLING, host(status=HostStatus.INSTALLING_IN_PROGRESS, stage=Stage.CONFIGURING))
    assert situations(
        answered(rebooting), silent(Reach.REFUSED), silent(Reach.UNREACHABLE), silent(Reach.REFUSED), answered(back)
    ) == [Situation.INSTALLING, Situation.NODE0_REBOOTING, Situation.INSTALLING]


def test_silence_before_the_reboot_is_not_one() -> None:
    writing = cluster(ClusterStatus.INSTALLING, host(stage=Stage.WRITING_IMAGE))
    assert situations(answered(writing), silent(Reach.UNREACHABLE))[-1] is Situation.ADDRESS_UNREACHABLE


def test_bootstrap_complete_is_what_kubernetes_says() -> None:
    looking = watch(Goal.BOOTSTRAP_COMPLETE)
    looking.see(silent(Reach.REFUSED, kubernetes=KubernetesView(answers=True)))
    assert not looking.reached
    lines = looking.see(silent(Reach.REFUSED, kubernetes=BOOTSTRAPPED))
    assert looking.reached
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
def test_install_complete_needs_both(status: ClusterStatus, nodes: tuple[NodeView, ...], reached: bool) -> None:
    looking = watch(Goal.INSTALL_COMPLETE, intents.host(1), intents.host(2))
    kubernetes = KubernetesView(answers=True, bootstrapped=True, nodes=nodes)
    looking.see(answered(cluster(status, host(1), host(2)), kubernetes=kubernetes))
    assert looking.reached is reached


def test_without_node0s_service_the_cluster_itself_says_that_it_is_installed() -> None:
    """While node0 reboots, its node is still called Ready, however long that takes."""
    looking = watch()
    looking.see(silent(Reach.REFUSED, at=100, kubernetes=BOOTSTRAPPED))
    looking.see(silent(Reach.UNREACHABLE, at=1000, kubernetes=BOOTSTRAPPED))
    assert not looking.reached
    looking.see(silent(Reach.REFUSED, at=1010, kubernetes=replace(BOOTSTRAPPED, installed=True)))
    assert looking.reached


@pytest.mark.parametrize(("kubernetes", "code"), [(DOWN, "bootstrap-failed"), (BOOTSTRAPPED, "install-failed")])
def test_a_failed_install_ends_the_wait(kubernetes: KubernetesView, code: str) -> None:
    looking = watch()
    looking.see(answered(cluster(ClusterStatus.INSTALLING, host()), kubernetes=kubernetes))
    assert looking.failed is None
    broken = host(status=HostStatus.ERROR, info="Failed at stage 'Installing': disk-too-small")
    looking.see(answered(cluster(ClusterStatus.ERROR, broken, info="No control plane is left.")))
    assert looking.failed is not None
    assert looking.failed.code == code
    assert "No control plane is left." in looking.failed.title
    assert looking.failed.detail == "host1: Failed at stage 'Installing': disk-too-small"
    assert looking.failed.remedy
