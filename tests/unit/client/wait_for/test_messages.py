"""The text of a whole wait, word for word."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

import click

from agent.model.states import ClusterStatus, HostStatus, Stage, ValidationStatus
from client.observe.observation import ApiNameView, KubernetesView, NodeView, Observation, Reach
from client.observe.peer_failures import PeerFailure
from client.wait_for.goal import Goal
from client.wait_for.text import is_for_people, text
from tests.fakes.client.observations import answered, check, cluster, host, install_tracker, unreachable
from tests.fakes.inputs import intents

API = "api.demo.example.com"
UNRESOLVED = ApiNameView(API, why="the name is not known here")
UP = KubernetesView(answers=True, by_name=UNRESOLVED, nodes=(NodeView("host1", ready=False, why="no CNI"),))
DONE = replace(UP, bootstrapped=True, by_name=ApiNameView(API),
               nodes=(NodeView("host1", ready=True), NodeView("host2", ready=True)))  # fmt: skip


def observations() -> Iterable[Observation]:
    yield unreachable(Reach.UNREACHABLE)
    yield unreachable(Reach.REFUSED)
    yield answered(None)
    yield answered(cluster(ClusterStatus.INSUFFICIENT, host(1)))
    failing_host = host(2, checks=(check(ValidationStatus.FAILURE),))
    failing = answered(cluster(ClusterStatus.INSUFFICIENT, host(1), failing_host, info="host2 cannot take part."))
    pair = PeerFailure("host1", "host2", "192.0.2.12", "ens3", "no answer to ping", "ping ens3")
    yield replace(failing, service=replace(failing.service, peer_failures=frozenset({pair})))
    yield answered(cluster(ClusterStatus.READY, host(1), host(2), info="The cluster is ready to be installed."))
    for stage, percent in ((Stage.WRITING_IMAGE, 20), (Stage.REBOOTING, 70)):
        going = host(1, status=HostStatus.INSTALLING_IN_PROGRESS, stage=stage)
        yield answered(cluster(ClusterStatus.INSTALLING, going, host(2), info="Installing.", percent=percent))
    yield unreachable(Reach.UNREACHABLE, kubernetes=UP)
    yield answered(
        cluster(ClusterStatus.INSTALLED, host(1), host(2), info="The cluster is installed."), kubernetes=DONE
    )


def test_from_an_unreachable_node0_to_the_end(golden: Callable[[str, str], None]) -> None:
    tracker = install_tracker(Goal.INSTALL_COMPLETE, intents.host(1), intents.host(2))
    lines = [line for observation in observations() for line in tracker.update(observation) if is_for_people(line)]
    assert tracker.reached
    shown = "\n".join(click.unstyle(text(line))[len("12:34:56 ") :] for line in lines)
    golden("wait_for/messages.txt", f"{shown}\n")
