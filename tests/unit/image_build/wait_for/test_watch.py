"""What `wait-for` says and when it ends, look by look."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from agent.api.intent import HostIntent, Role
from agent.api.inventory import Interface, Inventory
from agent.api.resources import Cluster, ClusterProgress, Event, Host, HostProgress, Validation
from agent.api.states import ClusterStatus, HostStatus, Severity, Stage, ValidationStatus
from image_build.remote.target import Target
from image_build.wait_for.lines import Kind, Line
from image_build.wait_for.observation import KubernetesView, NamedView, NodeView, Observation, Reach, ServiceView
from image_build.wait_for.patience import LIMITS
from image_build.wait_for.situation import Situation
from image_build.wait_for.verdict import Goal, Required
from image_build.wait_for.watch import Watch
from tests.fakes import intents

DOWN = KubernetesView(answers=False)
BOOTSTRAPPED = KubernetesView(answers=True, bootstrapped=True, nodes=(NodeView("host1", ready=True),))


def target(*hosts: HostIntent) -> Target:
    intent = intents.intent(*hosts)
    return Target(address=intent.rendezvous_ip, ca=Path(), token="", kubeconfig=Path(), intent=intent)


def watch(goal: Goal = Goal.INSTALL_COMPLETE, *hosts: HostIntent) -> Watch:
    return Watch(goal, target(*hosts))


def silent(reach: Reach, at: float = 0, kubernetes: KubernetesView = DOWN) -> Observation:
    return Observation(at, ServiceView(reach, why="Connection refused."), kubernetes)


def answered(cluster: Cluster | None, *events: Event, at: float = 0, kubernetes: KubernetesView = DOWN) -> Observation:
    return Observation(at, ServiceView(Reach.ANSWERS, cluster=cluster, events=events), kubernetes)


def again(observation: Observation, at: float) -> Observation:
    """The same sight, seen later."""
    return replace(observation, at=at)


def cluster(status: ClusterStatus, *hosts: Host, info: str = "", percent: int = 0) -> Cluster:
    progress = ClusterProgress(total_percentage=percent)
    return Cluster(
        id=intents.CLUSTER_ID, href="", name="demo", status=status, status_info=info, hosts=hosts, progress=progress
    )


def host(
    number: int = 1,
    *,
    status: HostStatus = HostStatus.KNOWN,
    stage: Stage | str = "",
    checks: tuple[Validation, ...] = (),
    inventory: bool = True,
    info: str = "",
    stage_info: str = "",
) -> Host:
    seen = Inventory(interfaces=(Interface(name="ens3", mac_address=intents.mac(number)),))
    return Host(
        id=f"id-{number}",
        href="",
        infra_env_id="",
        cluster_id="",
        status=status,
        status_info=info,
        bootstrap=number == 1,
        requested_hostname=f"host{number}",
        inventory=msgspec.json.encode(seen).decode() if inventory else "",
        validations_info=msgspec.json.encode({"hardware": checks}).decode(),
        progress=HostProgress(current_stage=stage, progress_info=stage_info),
    )


def check(status: ValidationStatus, message: str = "2 GiB of memory", remedy: str = "Add memory.") -> Validation:
    return Validation(id="has-min-memory", status=status, message=message, remedy=remedy)


def of_kind(kind: Kind, lines: list[Line]) -> list[Line]:
    return [line for line in lines if line.kind is kind]


def situations(*observations: Observation, hosts: tuple[HostIntent, ...] = ()) -> list[Situation | None]:
    """The situations that are told, in order."""
    looking = watch(Goal.INSTALL_COMPLETE, *hosts)
    return [line.situation for now in observations for line in of_kind(Kind.SITUATION, looking.see(now))]


def test_silence_has_three_kinds_and_is_told_once() -> None:
    assert situations(
        silent(Reach.UNREACHABLE),
        silent(Reach.UNREACHABLE),
        silent(Reach.REFUSED),
        silent(Reach.UNTRUSTED),
        silent(Reach.UNREACHABLE, kubernetes=BOOTSTRAPPED),
    ) == [
        Situation.ADDRESS_UNREACHABLE,
        Situation.SERVICE_DOWN,
        Situation.SERVICE_UNTRUSTED,
        Situation.SERVICE_DOWN,
    ]


def test_an_api_out_of_reach_is_told_when_node0_is_done() -> None:
    looking = watch()
    looking.see(answered(cluster(ClusterStatus.FINALIZING, host(), info="Finalizing.")))
    done = cluster(ClusterStatus.INSTALLED, host(), info="The cluster is installed.")
    silence = KubernetesView(answers=False, why="No answer from the Kubernetes API at https://…: connection refused")
    (line,) = looking.see(answered(done, kubernetes=silence))
    assert (line.situation, line.severity) == (Situation.API_UNREACHABLE, Severity.WARNING)
    assert line.message.endswith(f"does not answer this computer. {silence.why}")
    assert "https://192.168.122.10:6443" in line.remedy
    assert looking.see(answered(done, kubernetes=DOWN)) == [], "other words of the same silence are no news"
    looking.see(answered(done, kubernetes=BOOTSTRAPPED))
    assert looking.reached


def test_hosts_that_have_not_come_are_named_with_their_macs() -> None:
    hosts = (intents.host(1), intents.host(2))
    looking = watch(Goal.INSTALL_COMPLETE, *hosts)
    (line,) = looking.see(answered(cluster(ClusterStatus.INSUFFICIENT, host(1))))
    assert line.situation is Situation.WAITING_FOR_HOSTS
    assert line.message == "These hosts have not registered: host2 (52:54:00:00:00:02)."
    assert line.remedy


def test_a_host_without_inventory_may_be_any_of_them() -> None:
    hosts = (intents.host(1), intents.host(2))
    unknown = host(2, status=HostStatus.DISCOVERING, inventory=False)
    looking = watch(Goal.INSTALL_COMPLETE, *hosts)
    (line,) = looking.see(answered(cluster(ClusterStatus.INSUFFICIENT, host(1), unknown)))
    assert line.message == "Waiting for the inventory of host2."


def test_a_cluster_that_is_ready_without_all_hosts_waits_for_them() -> None:
    looking = watch(Goal.INSTALL_COMPLETE, intents.host(1), intents.host(2))
    (line,) = looking.see(answered(cluster(ClusterStatus.READY, host(1), info="Ready.")))
    assert line.situation is Situation.WAITING_FOR_HOSTS
    assert "host2 (52:54:00:00:00:02)" in line.message


def test_strangers_are_told() -> None:
    looking = watch(Goal.INSTALL_COMPLETE, intents.host(1))
    (line,) = looking.see(answered(cluster(ClusterStatus.INSUFFICIENT, host(9))))
    assert "host9 does not take part" in line.message


def test_a_check_is_told_when_it_breaks_changes_and_holds_again() -> None:
    looking = watch()
    bad, worse = check(ValidationStatus.FAILURE), check(ValidationStatus.FAILURE, "1 GiB of memory")
    said = []
    for verdict in (bad, bad, worse, check(ValidationStatus.SUCCESS), check(ValidationStatus.SUCCESS)):
        now = answered(cluster(ClusterStatus.INSUFFICIENT, host(checks=(verdict,)), info="not yet"))
        said += of_kind(Kind.CHECK, looking.see(now))
    assert [(line.host, line.check, line.message, line.severity) for line in said] == [
        ("host1", "has-min-memory", "2 GiB of memory", Severity.WARNING),
        ("host1", "has-min-memory", "1 GiB of memory", Severity.WARNING),
        ("host1", "has-min-memory", "holds now", Severity.INFO),
    ]
    assert said[0].remedy == "Add memory."


def test_pending_checks_are_no_failures() -> None:
    now = answered(cluster(ClusterStatus.INSUFFICIENT, host(checks=(check(ValidationStatus.PENDING),))))
    assert of_kind(Kind.CHECK, watch().see(now)) == []


def test_stages_are_told_once_with_the_percentage() -> None:
    looking = watch()
    said = []
    for stage, percent in ((Stage.INSTALLING, 12), (Stage.INSTALLING, 13), (Stage.WRITING_IMAGE, 20)):
        now = answered(cluster(ClusterStatus.INSTALLING, host(stage=stage), percent=percent))
        said += of_kind(Kind.STAGE, looking.see(now))
    assert [(line.stage, line.percent) for line in said] == [("Installing", 12), ("Writing image to disk", 20)]
    assert looking.picture.percent == 20


def test_the_picture_has_every_hosts_stage_and_the_time_in_it() -> None:
    looking = watch()
    looking.see(answered(cluster(ClusterStatus.READY, host(), info="The cluster is ready to be installed.")))
    assert looking.picture.words == "The cluster is ready to be installed."
    writing = host(stage=Stage.WRITING_IMAGE, stage_info="37%")
    looking.see(answered(cluster(ClusterStatus.INSTALLING, writing, host(2, stage=Stage.INSTALLING)), at=10))
    looking.see(answered(cluster(ClusterStatus.INSTALLING, writing, host(2, stage=Stage.WRITING_IMAGE)), at=75))
    assert [(shown.name, shown.words, shown.seconds) for shown in looking.picture.hosts] == [
        ("host1", "Writing image to disk 37%", 65),
        ("host2", "Writing image to disk", 0),
    ]
    looking.see(silent(Reach.UNREACHABLE, at=80))
    assert looking.picture.words.startswith("node0 (192.168.122.10) cannot be reached.")
    assert looking.picture.hosts[0].seconds == 70


def test_a_stage_that_began_before_us_counts_from_its_beginning() -> None:
    began = HostProgress(
        current_stage=Stage.INSTALLING,
        stage_started_at="2026-01-01T00:00:00.000Z",
        stage_updated_at="2026-01-01T00:01:30.000Z",
    )
    looking = watch()
    looking.see(answered(cluster(ClusterStatus.INSTALLING, msgspec.structs.replace(host(), progress=began)), at=5))
    assert looking.picture.hosts[0].seconds == 90


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


def test_the_api_by_name_is_told_when_it_changes() -> None:
    looking = watch()
    said = []
    for why in ("the name does not resolve on this computer", "the name does not resolve on this computer", ""):
        by_name = NamedView("api.demo.example.com", why)
        kubernetes = KubernetesView(answers=True, by_name=by_name)
        said += of_kind(Kind.KUBERNETES, looking.see(silent(Reach.REFUSED, kubernetes=kubernetes)))
    assert [line.message for line in said[1:]] == [
        "The Kubernetes API answers by its address, but not as api.demo.example.com: "
        "the name does not resolve on this computer.",
        "The Kubernetes API answers as api.demo.example.com too.",
    ]


def test_events_are_passed_on() -> None:
    event = Event(id=7, name="x", severity=Severity.WARNING, message="words", event_time="")
    (line,) = of_kind(Kind.EVENT, watch().see(answered(None, event)))
    assert (line.event, line.message, line.severity) == (7, "words", Severity.WARNING)


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


def test_nodes_are_told_when_they_change() -> None:
    looking = watch()
    said = []
    for node in (NodeView("host1", ready=False, why="no CNI"), NodeView("host1", ready=True)):
        kubernetes = KubernetesView(answers=True, nodes=(node,))
        said += of_kind(Kind.KUBERNETES, looking.see(silent(Reach.REFUSED, kubernetes=kubernetes)))
    said += of_kind(Kind.KUBERNETES, looking.see(silent(Reach.REFUSED)))
    assert [line.message for line in said] == [
        "The Kubernetes API answers.",
        "Node host1 is not Ready: no CNI",
        "Node host1 is Ready",
        "The Kubernetes API does not answer any more.",
    ]
