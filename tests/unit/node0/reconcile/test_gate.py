"""No step that writes to a disk is sent while a blocking validation fails anywhere, after any history.

Histories are generated: hosts register, answer well, badly or not at all, become unresponsive, are approved, renamed,
unbound or removed; the user requests the install again and again and ignores validations; the service restarts.
The order of these actions is random.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest
from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st

from agent.api.steps import Step, StepReply, StepType
from agent.model.inventory import Cpu
from agent.model.states import HostStatus, InstallRole
from node0.changes.binding import bind_host, unbind_host
from node0.changes.removal import remove_host
from node0.changes.reset import cancel_install, reset_host, reset_install
from tests.fakes.agent.agent import inventory
from tests.fakes.node0.actions import Action, action
from tests.fakes.node0.history import HOSTS, History
from tests.fakes.node0.records import CLUSTER_ID, INFRA_ENV_ID

Spoil = Callable[[Step, StepReply], StepReply]


def failed(_step: Step, reply: StepReply) -> StepReply:
    return msgspec.structs.replace(reply, exit_code=1, output="", error="failed")


def medium_lost(_step: Step, reply: StepReply) -> StepReply:
    return msgspec.structs.replace(reply, exit_code=256, output="", error="MediaDisconnected")


def insufficient(step: Step, reply: StepReply) -> StepReply:
    """Replies of a machine with one CPU that reaches no peer."""
    if step.step_type == StepType.INVENTORY:
        one_cpu = msgspec.structs.replace(inventory(), cpu=Cpu(count=1))
        return msgspec.structs.replace(reply, output=msgspec.json.encode(one_cpu).decode())
    if step.step_type == StepType.CONNECTIVITY_CHECK:
        unreachable = reply.output.replace('"successful":true', '"successful":false')
        return msgspec.structs.replace(reply, output=unreachable)
    return reply


def host_registers(history: History, host: int) -> None:
    history.register(HOSTS[host])


def host_checks_in(history: History, host: int) -> None:
    history.check_in(HOSTS[host])


def host_answers(history: History, host: int) -> None:
    history.answer(HOSTS[host])


def host_answers_badly(history: History, host: int, spoil: Spoil) -> None:
    history.answer(HOSTS[host], spoil)


def host_starts_to_install(history: History, host: int) -> None:
    history.report_progress(HOSTS[host])


def user_approves_host(history: History, host: int, approved: bool) -> None:
    history.approve(HOSTS[host], approved)


def user_renames_host(history: History, host: int, name: str) -> None:
    history.rename(HOSTS[host], name)


def user_binds_host(history: History, host: int) -> None:
    history.apply(bind_host(INFRA_ENV_ID, HOSTS[host], CLUSTER_ID))


def user_unbinds_host(history: History, host: int) -> None:
    history.apply(unbind_host(INFRA_ENV_ID, HOSTS[host]))


def user_removes_host(history: History, host: int) -> None:
    history.apply(remove_host(INFRA_ENV_ID, HOSTS[host]))


def user_resets_host(history: History, host: int) -> None:
    history.apply_reset(reset_host(INFRA_ENV_ID, HOSTS[host]))


def user_starts_install(history: History) -> None:
    history.install()


def user_cancels_install(history: History) -> None:
    history.apply_reset(cancel_install(CLUSTER_ID))


def user_resets_install(history: History) -> None:
    history.apply_reset(reset_install(CLUSTER_ID))


def user_ignores_validations(history: History, ids: tuple[str, ...]) -> None:
    history.ignore_validations(*ids)


def service_restarts(history: History) -> None:
    history.restart()


def time_passes(history: History, seconds: float) -> None:
    history.advance(seconds)


hosts = st.integers(0, len(HOSTS) - 1)

# Ordinary actions come more often, so that histories get as far as an install.
common = st.one_of(
    action(host_checks_in, hosts),
    action(host_answers, hosts),
    action(host_answers_badly, hosts, st.sampled_from([failed, medium_lost, insufficient])),
    action(user_starts_install),
)
rare = st.one_of(
    action(host_registers, hosts),
    action(host_starts_to_install, hosts),
    action(user_approves_host, hosts, st.booleans()),
    action(user_renames_host, hosts, st.sampled_from(["one", "two", "localhost"])),
    action(user_binds_host, hosts),
    action(user_unbinds_host, hosts),
    action(user_removes_host, hosts),
    action(user_resets_host, hosts),
    action(user_cancels_install),
    action(user_resets_install),
    action(user_ignores_validations, st.sampled_from([(), ("all",), ("has-cpu-cores-for-role",)])),
    action(service_restarts),
    action(time_passes, st.sampled_from([1.0, 61.0, 200.0, 700.0])),
)
actions = st.one_of(common, common, common, rare)


def good_start(history: History, hosts: int = 1) -> None:
    """Makes the hosts known and approved, and the cluster ready; an install can start."""
    for id in HOSTS[:hosts]:
        history.register(id)
        history.approve(id)
    for _ in range(4):
        for id in HOSTS[:hosts]:
            history.check_in(id)
            history.answer(id)


histories = given(
    good_hosts=st.integers(0, len(HOSTS)),
    install_requested=st.booleans(),
    happened=st.lists(actions, min_size=8, max_size=30),
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@histories
def test_no_disk_is_written_while_anything_fails(
    good_hosts: int, install_requested: bool, happened: list[Action]
) -> None:
    replay(good_hosts, install_requested, happened)


@pytest.mark.slow
@pytest.mark.timeout(1800)
@settings(max_examples=1000, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@histories
def test_no_disk_is_written_in_a_thousand_histories(
    good_hosts: int, install_requested: bool, happened: list[Action]
) -> None:
    replay(good_hosts, install_requested, happened)


def replay(good_hosts: int, install_requested: bool, happened: list[Action]) -> None:
    """Raises AssertionError if a host gets a step that writes to a disk while a validation fails."""
    history = History(masters=max(good_hosts, 1))
    good_start(history, good_hosts)
    if install_requested:
        history.install()
    for each in happened:
        note(repr(each))
        each(history)


def first_host_installs() -> History:
    """One host, which has answered its checks and has the install step."""
    history = History()
    good_start(history)
    history.install()
    for _ in range(3):
        history.check_in(HOSTS[0])
        history.answer(HOSTS[0])
    return history


def test_a_generated_history_can_reach_the_install() -> None:
    """Without this, the property could hold because no history reaches an install."""
    history = first_host_installs()
    assert history.writes >= 2
    assert history.records.hosts[HOSTS[0]].status is HostStatus.INSTALLING
    assert history.records.hosts[HOSTS[0]].install_role is InstallRole.BOOTSTRAP


@pytest.mark.parametrize("spoil", [failed, medium_lost, insufficient])
def test_a_second_host_that_fails_holds_up_the_first(spoil: Spoil) -> None:
    history = History()
    good_start(history)
    history.register(HOSTS[1])
    history.approve(HOSTS[1])
    for _ in range(3):
        history.check_in(HOSTS[1])
        history.answer(HOSTS[1], spoil)
    history.install()
    history.check_in(HOSTS[0])
    assert history.writes == 0


@pytest.mark.parametrize("spoil", [failed, medium_lost])
def test_a_host_that_fails_while_it_is_prepared_stops_the_others(spoil: Spoil) -> None:
    history = History(masters=2)
    good_start(history, 2)
    history.install()
    history.check_in(HOSTS[0])
    history.answer(HOSTS[0], spoil)
    written = history.writes
    history.check_in(HOSTS[1])
    assert history.writes == written == 1


def test_a_late_host_that_cannot_be_installed_yet_holds_up_no_other_host() -> None:
    """The service restarts after it has sent the install to the first host, so it sends it again."""
    history = first_host_installs()
    writes = history.writes
    history.register(HOSTS[1])
    history.approve(HOSTS[1])
    history.restart()
    history.check_in(HOSTS[0])
    assert history.writes == writes + 1
