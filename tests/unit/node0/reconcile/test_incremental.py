"""What is kept from change to change is what looking at everything would find, whatever happened before."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agent.api.checks import ConnectivityReport, L2Connectivity, L3Connectivity, RemoteHost, VipCheck
from agent.api.clusters import Vip
from agent.api.hosts import HostRegister, HostUpdate
from agent.api.requests import IgnoredValidations
from agent.api.steps import Progress, StepReply, StepType
from agent.model.intent import Role
from agent.model.problems import Problem
from agent.model.states import HostStatus, Stage
from node0 import validations
from node0.changes.check_in import check_in
from node0.changes.host_registration import register_host
from node0.changes.host_update import update_host
from node0.changes.ignored_validations import ignore_validations
from node0.changes.install import start_install
from node0.changes.removal import remove_host
from node0.changes.stage_report import report_stage
from node0.changes.step_reply import accept_reply
from node0.reconcile.evaluation_cache import EvaluationCache
from node0.reconcile.peers import ALL_PAIRS_UP_TO, NEIGHBOURS, Ring, assign_peers
from node0.reconcile.reconcile import reconcile
from node0.reconcile.timers import Timers
from node0.reconcile.transaction import Change, Transaction, nothing
from node0.store.host_diff import diff_hosts
from node0.store.records import HostRecord
from node0.validations.engine.facts import ClusterFacts
from node0.validations.engine.validation import Validation
from node0.validations.engine.validation import nothing as no_host
from tests.fakes.agent.agent import inventory
from tests.fakes.node0.clock import TurnedClock
from tests.fakes.node0.records import ASKED, CLUSTER_ID, INFRA_ENV_ID, PREPARED, cluster, host, site

IDS = [f"{n}0000000-0000-4000-8000-000000000000" for n in range(6)]
VIP = VipCheck(vip="127.0.0.200", vip_type="api")


class History:
    """Changes, settled one after the other on what is kept, and each time once more from nothing."""

    def __init__(self) -> None:
        self.clock = TurnedClock()
        self.timers = Timers(self.clock)
        self.cache = EvaluationCache()
        asked = msgspec.structs.replace(ASKED, control_plane_count=2, api_vips=(Vip(ip=VIP.vip),))
        self.records = msgspec.structs.replace(site(), cluster=cluster(asked=asked))

    def apply(self, change: Change, *, is_lost: bool = False) -> None:
        """`is_lost`: it was settled and then could not be written."""
        transaction = Transaction(self.records, self.timers, self.clock.now())
        try:
            change(transaction)
        except Problem:
            return
        full = reconcile(transaction.records, copy.deepcopy(self.timers), transaction.now)
        cached = reconcile(transaction.records, self.timers, transaction.now, self.cache)
        assert cached == full
        if not is_lost:
            self.records = cached
            self.check()

    def check(self) -> None:
        assert reconcile(self.records, self.timers, self.clock.now()) is self.records

    def turn(self, seconds: float) -> None:
        self.clock.turn(seconds)
        self.apply(nothing)

    def answer(self, id: str, step: StepType, output: object) -> None:
        self.timers.checked_in(id)
        reply = StepReply(step_type=step, step_id="", output=msgspec.json.encode(output).decode())
        self.apply(accept_reply(INFRA_ENV_ID, id, reply))


def machine(number: int, *, name: str = "", twin: bool = False) -> object:
    """`twin`: with the identity of another; number 0 has the rendezvous address."""
    found = inventory(mac=mac(number), address=f"127.0.0.{number + 1}", hostname=name or f"host{number}")
    return msgspec.structs.replace(found, machine_id="1" * 32 if twin else f"{number:032x}")


def mac(number: int) -> str:
    return f"52:54:00:00:00:0{number}"


def report(reached: dict[int, int | None]) -> ConnectivityReport:
    """Number of each peer told of → number of the host that answers for its address; None: nobody does."""
    return ConnectivityReport(remote_hosts=tuple(_remote(peer, answers) for peer, answers in reached.items()))


def _remote(peer: int, answers: int | None) -> RemoteHost:
    address, found = f"127.0.0.{peer + 1}", answers is not None
    answer = L2Connectivity(
        outgoing_nic="eth0", remote_ip_address=address, remote_mac="" if answers is None else mac(answers)
    )
    echo = L3Connectivity(outgoing_nic="eth0", remote_ip_address=address, successful=found, average_rtt_ms=0.3)
    return RemoteHost(host_id=IDS[peer], l2_connectivity=(answer,), l3_connectivity=(echo,))


@dataclass(frozen=True)
class Act:
    """Something happens; what a failing history is told in."""

    function: Callable[..., None]
    arguments: tuple[object, ...]

    def __call__(self, history: History) -> None:
        self.function(history, *self.arguments)


numbers = st.integers(0, len(IDS) - 1)
ids = st.sampled_from(IDS)


def act(function: Callable[..., None], *arguments: st.SearchStrategy[object]) -> st.SearchStrategy[Act]:
    return st.builds(Act, st.just(function), st.tuples(*arguments))


def _register(history: History, id: str) -> None:
    history.apply(register_host(INFRA_ENV_ID, HostRegister(host_id=id), token_id=""))


def _inventory(history: History, number: int, name: str, twin: bool) -> None:
    history.answer(IDS[number], StepType.INVENTORY, machine(number, name=name, twin=twin))


def _report(history: History, number: int, reached: dict[int, int | None]) -> None:
    told = {peer: answers for peer, answers in reached.items() if peer != number}
    history.answer(IDS[number], StepType.CONNECTIVITY_CHECK, report(told))


def _all_well(history: History, number: int) -> None:
    _register(history, IDS[number])
    _decide(history, IDS[number], True, Role.AUTO_ASSIGN)
    history.apply(check_in(INFRA_ENV_ID, IDS[number], int(history.clock.now().timestamp())))
    _inventory(history, number, "", False)
    _report(history, number, {peer: peer for peer in range(len(IDS))})
    _vip(history, IDS[number], "succeeded")


def _decide(history: History, id: str, approved: bool, role: Role) -> None:
    history.apply(update_host(INFRA_ENV_ID, id, HostUpdate(approved=approved, host_role=role)))


def _vip(history: History, id: str, verification: str) -> None:
    history.answer(id, StepType.VERIFY_VIPS, [msgspec.structs.replace(VIP, verification=verification)])


def _check_in(history: History, id: str, offset: int) -> None:
    history.apply(check_in(INFRA_ENV_ID, id, int(history.clock.now().timestamp()) + offset))


def _prepared(history: History, id: str) -> None:
    """As if it had answered all that is asked between the request to install and the first write."""

    def change(transaction: Transaction) -> None:
        if id in transaction.records.hosts:
            transaction.put_host(msgspec.structs.replace(transaction.records.hosts[id], **PREPARED))

    history.apply(change)


def _waive(history: History, listed: str) -> None:
    history.apply(ignore_validations(CLUSTER_ID, IgnoredValidations(host_validation_ids=listed)))


acts = st.one_of(
    act(_all_well, numbers),
    act(_all_well, numbers),
    act(_register, ids),
    act(_inventory, numbers, st.sampled_from(["", "", "twin", "localhost"]), st.booleans()),
    act(_report, numbers, st.dictionaries(numbers, st.none() | numbers)),
    act(_decide, ids, st.booleans(), st.sampled_from(Role)),
    act(_vip, ids, st.sampled_from(["succeeded", "failed"])),
    act(_check_in, ids, st.sampled_from([0, 10, 1000])),
    act(_prepared, ids),
    act(_waive, st.sampled_from(["[]", '["all"]', '["hostname-unique"]'])),
    act(lambda history: history.apply(start_install(CLUSTER_ID))),
    act(lambda history, id: history.apply(remove_host(INFRA_ENV_ID, id)), ids),
    act(lambda history, id: history.apply(remove_host(INFRA_ENV_ID, id), is_lost=True), ids),
    act(
        lambda history, id, stage: history.apply(report_stage(INFRA_ENV_ID, id, Progress(current_stage=stage))),
        ids,
        st.sampled_from([Stage.STARTING_INSTALLATION, Stage.WRITING_IMAGE, Stage.REBOOTING, Stage.DONE]),
    ),
    act(lambda history, seconds: history.turn(seconds), st.sampled_from([1.0, 100.0, 181.0, 700.0])),
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.integers(0, len(IDS)), st.lists(acts, min_size=5, max_size=25))
def test_what_is_kept_is_what_looking_at_all_would_find(good_hosts: int, happened: list[Act]) -> None:
    history = History()
    for number in range(good_hosts):
        _all_well(history, number)
    for each in happened:
        each(history)


def test_such_a_history_can_reach_the_install() -> None:
    """Or the property would say little."""
    history = History()
    for number in range(4):
        _all_well(history, number)
    history.apply(start_install(CLUSTER_ID))
    for id in IDS[:4]:
        _prepared(history, id)
    assert {found.status for found in history.records.hosts.values()} == {HostStatus.INSTALLING}


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.integers(0, ALL_PAIRS_UP_TO + 15), st.booleans(), st.booleans()), max_size=30))
def test_a_ring_that_grew_is_the_ring_that_was_made_at_once(happened: list[tuple[int, bool, bool]]) -> None:
    """It starts with as many hosts as all reach each other in."""
    start = {id: host(id=id, role=Role.WORKER) for id in map(str, range(100, 100 + ALL_PAIRS_UP_TO))}
    hosts = assign_peers(start, ring := Ring.of(start), start)
    for number, takes_part, leads in happened:
        changed = host(id=str(100 + number), approved=takes_part, role=Role.MASTER if leads else Role.WORKER)
        after = {**hosts, changed.id: msgspec.structs.replace(changed, peers=_peers(hosts, changed.id))}
        hosts = {**after, **assign_peers(after, ring, ring.update(diff_hosts(hosts, after)))}
    assert assign_peers(hosts, Ring.of(hosts), hosts) == {}
    assert all(len(found.peers) >= NEIGHBOURS for found in hosts.values() if found.approved)


def _peers(hosts: dict[str, HostRecord], id: str) -> tuple[str, ...]:
    return hosts[id].peers if id in hosts else ()


class NoHosts(ClusterFacts):
    """The cluster's facts, of which the hosts must not be asked for."""

    def __getattribute__(self, name: str) -> object:
        assert name not in {"hosts", "roles"}, "the validation reads hosts and does not declare it in `depends_on`"
        return super().__getattribute__(name)


@pytest.mark.parametrize("validation", [item for item in validations.CLUSTER_VALIDATIONS if item.depends_on is no_host])
def test_a_validation_without_depends_on_reads_no_host(validation: Validation[ClusterFacts]) -> None:
    facts = NoHosts(cluster=cluster(), hosts=())
    assert not validation.applies(facts) or validation.verdict(facts).message
