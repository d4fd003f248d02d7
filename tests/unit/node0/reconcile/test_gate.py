"""No step that writes to a disk is sent while a blocking validation fails anywhere, whatever happened before.

Histories are generated: hosts register, answer well, badly or not at all, fall silent, are approved or not, renamed,
unbound, removed; an install is asked for again and again, validations are waived, the service is killed and started.
Nothing here knows the order in which things should happen.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agent.api.steps import Step, StepReply, StepType
from agent.model.inventory import Cpu
from agent.model.states import HostStatus, InstallRole
from node0.changes.binding import bind_host, unbind_host
from node0.changes.removal import remove_host
from node0.changes.reset import cancel_install, reset_host, reset_install
from tests.fakes.agent.agent import inventory
from tests.fakes.node0.history import HOSTS, History
from tests.fakes.node0.records import CLUSTER_ID, INFRA_ENV_ID


def failed(_step: Step, reply: StepReply) -> StepReply:
    return msgspec.structs.replace(reply, exit_code=1, output="", error="it did not work")


def gone(_step: Step, reply: StepReply) -> StepReply:
    return msgspec.structs.replace(reply, exit_code=256, output="", error="MediaDisconnected")


def weak(step: Step, reply: StepReply) -> StepReply:
    """A machine with one CPU and nobody in reach."""
    if step.step_type == StepType.INVENTORY:
        poor = msgspec.structs.replace(inventory(), cpu=Cpu(count=1))
        return msgspec.structs.replace(reply, output=msgspec.json.encode(poor).decode())
    if step.step_type == StepType.CONNECTIVITY_CHECK:
        cut_off = reply.output.replace('"successful":true', '"successful":false')
        return msgspec.structs.replace(reply, output=cut_off)
    return reply


host_ids = st.sampled_from(HOSTS)
names = st.sampled_from(["one", "two", "localhost"])
spoilers = st.sampled_from([failed, gone, weak])
Act = Callable[[History], None]

# What a host does most often comes more often: a history of accidents alone gets nowhere.
common: st.SearchStrategy[Act] = st.one_of(
    host_ids.map(lambda id: lambda history: history.call(id)),
    st.builds(lambda id, spoil: lambda history: history.answer(id, spoil), host_ids, spoilers),
    host_ids.map(lambda id: lambda history: history.answer(id)),
    st.just(lambda history: history.install()),
)
rare: st.SearchStrategy[Act] = st.one_of(
    host_ids.map(lambda id: lambda history: history.register(id)),
    st.builds(lambda id, yes: lambda history: history.approve(id, yes), host_ids, st.booleans()),
    host_ids.map(lambda id: lambda history: history.progress(id)),
    st.builds(lambda id, name: lambda history: history.rename(id, name), host_ids, names),
    host_ids.map(lambda id: lambda history: history.apply(bind_host(INFRA_ENV_ID, id, CLUSTER_ID))),
    host_ids.map(lambda id: lambda history: history.apply(unbind_host(INFRA_ENV_ID, id))),
    host_ids.map(lambda id: lambda history: history.apply(remove_host(INFRA_ENV_ID, id))),
    st.just(lambda history: history.restart()),
    st.sampled_from([1.0, 61.0, 200.0, 700.0]).map(lambda seconds: lambda history: history.turn(seconds)),
    st.sampled_from([cancel_install(CLUSTER_ID), reset_install(CLUSTER_ID)]).map(
        lambda change: lambda history: history.take_back(change)
    ),
    host_ids.map(lambda id: lambda history: history.take_back(reset_host(INFRA_ENV_ID, id))),
    st.sampled_from([(), ("all",), ("has-cpu-cores-for-role",)]).map(lambda ids: lambda history: history.waive(*ids)),
)
acts = st.one_of(common, common, common, rare)


def good_start(history: History, hosts: int = 1) -> None:
    """Known and approved hosts, and a cluster that is ready: where it becomes interesting."""
    for id in HOSTS[:hosts]:
        history.register(id)
        history.approve(id)
    for _ in range(4):
        for id in HOSTS[:hosts]:
            history.call(id)
            history.answer(id)


histories = given(st.integers(0, len(HOSTS)), st.booleans(), st.lists(acts, min_size=8, max_size=30))


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@histories
def test_no_disk_is_written_while_anything_fails(good_hosts: int, is_asked_for: bool, history: list[Act]) -> None:
    tell(good_hosts, is_asked_for, history)


@pytest.mark.slow
@pytest.mark.timeout(1800)
@settings(max_examples=1000, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@histories
def test_no_disk_is_written_in_a_thousand_histories(good_hosts: int, is_asked_for: bool, history: list[Act]) -> None:
    tell(good_hosts, is_asked_for, history)


def tell(good_hosts: int, is_asked_for: bool, history: list[Act]) -> None:
    """Raises AssertionError where a step that writes is sent in spite of something that fails."""
    told = History(masters=max(good_hosts, 1))
    good_start(told, good_hosts)
    if is_asked_for:
        told.install()
    for act in history:
        act(told)


def test_such_a_history_can_reach_the_install() -> None:
    """Or the property would hold for nothing."""
    history = History()
    good_start(history)
    history.install()
    for _ in range(3):
        history.call(HOSTS[0])
        history.answer(HOSTS[0])
    assert history.writes >= 2
    assert history.records.hosts[HOSTS[0]].status is HostStatus.INSTALLING
    assert history.records.hosts[HOSTS[0]].install_role is InstallRole.BOOTSTRAP


@pytest.mark.parametrize("spoil", [failed, gone, weak])
def test_a_second_host_that_fails_holds_up_the_first(spoil: Callable[[Step, StepReply], StepReply]) -> None:
    history = History()
    good_start(history)
    history.register(HOSTS[1])
    history.approve(HOSTS[1])
    for _ in range(3):
        history.call(HOSTS[1])
        history.answer(HOSTS[1], spoil)
    history.install()
    history.call(HOSTS[0])
    assert history.writes == 0


@pytest.mark.parametrize("spoil", [failed, gone])
def test_a_host_that_fails_while_it_is_prepared_stops_the_others(spoil: Callable[[Step, StepReply], StepReply]) -> None:
    history = History(masters=2)
    good_start(history, 2)
    history.install()
    history.call(HOSTS[0])
    history.answer(HOSTS[0], spoil)
    written = history.writes
    history.call(HOSTS[1])
    assert history.writes == written == 1
