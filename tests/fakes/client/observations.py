"""Observations of node0's service and of Kubernetes, and an install tracker that takes them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import msgspec

from agent.api.clusters import Cluster, ClusterProgress
from agent.api.events import Event
from agent.api.hosts import Host, HostProgress, ValidationResult
from agent.model.intent import HostIntent
from agent.model.inventory import Interface, Inventory
from agent.model.states import ClusterStatus, HostStatus, Stage, ValidationStatus
from client.observe.observation import KubernetesView, NodeView, Observation, Reach, ServiceView
from client.observe.phase import InstallPhase
from client.remote.target import Target
from client.wait_for.goal import Goal
from client.wait_for.lines import Line, LineKind
from client.wait_for.tracker import InstallTracker
from tests.fakes.inputs import intents

DOWN = KubernetesView(answers=False)
BOOTSTRAPPED = KubernetesView(answers=True, bootstrapped=True, nodes=(NodeView("host1", ready=True),))


def target(*hosts: HostIntent) -> Target:
    intent = intents.intent(*hosts)
    return Target(address=intent.rendezvous_ip, ca=Path(), token="", kubeconfig=Path(), intent=intent)


def install_tracker(goal: Goal = Goal.INSTALL_COMPLETE, *hosts: HostIntent) -> InstallTracker:
    return InstallTracker(goal, target(*hosts))


def unreachable(reach: Reach, at: float = 0, kubernetes: KubernetesView = DOWN) -> Observation:
    return Observation(at, ServiceView(reach, why="Connection refused."), kubernetes)


def answered(cluster: Cluster | None, *events: Event, at: float = 0, kubernetes: KubernetesView = DOWN) -> Observation:
    return Observation(at, ServiceView(Reach.ANSWERS, cluster=cluster, events=events), kubernetes)


def again(observation: Observation, at: float) -> Observation:
    """The same observation, made later."""
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
    checks: tuple[ValidationResult, ...] = (),
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


def check(status: ValidationStatus, message: str = "2 GiB of memory", remedy: str = "Add memory.") -> ValidationResult:
    return ValidationResult(id="has-min-memory", status=status, message=message, remedy=remedy)


def of_kind(kind: LineKind, lines: list[Line]) -> list[Line]:
    return [line for line in lines if line.kind is kind]


def phases(*observations: Observation, hosts: tuple[HostIntent, ...] = ()) -> list[InstallPhase | None]:
    """The phases that are reported, in order."""
    tracker = install_tracker(Goal.INSTALL_COMPLETE, *hosts)
    return [line.phase for now in observations for line in of_kind(LineKind.PHASE, tracker.update(now))]
