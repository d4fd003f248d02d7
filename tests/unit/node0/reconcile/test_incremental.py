"""Reconciling with a cache gives the same records as a full evaluation, after any history of changes."""

from __future__ import annotations

import copy

import msgspec
import pytest
from hypothesis import HealthCheck, given, note, settings
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
from node0.reconcile.evaluation_cache import EvaluationCache
from node0.reconcile.reconcile import reconcile, reconcile_change
from node0.reconcile.timers import Timers
from node0.reconcile.transaction import Change, Transaction, no_change
from node0.store.host_diff import diff_hosts
from node0.store.records import Evaluated
from node0.validations.engine.facts import ClusterFacts, HostFacts
from node0.validations.engine.validation import Validation
from node0.validations.engine.validation import nothing as no_host
from tests.fakes.agent.agent import inventory
from tests.fakes.node0.actions import Action, action
from tests.fakes.node0.clock import ManualClock
from tests.fakes.node0.history import replying
from tests.fakes.node0.records import CLUSTER_ID, INFRA_ENV_ID, PREPARED, SPEC, cluster, site

IDS = [f"{n}0000000-0000-4000-8000-000000000000" for n in range(6)]
VIP = VipCheck(vip="127.0.0.200", vip_type="api")


class History:
    """Applies changes and reconciles each twice: with the cache of the earlier changes, and without a cache."""

    def __init__(self) -> None:
        self.clock = ManualClock()
        self.timers = Timers(self.clock)
        self.cache = EvaluationCache()
        spec = msgspec.structs.replace(SPEC, control_plane_count=2, api_vips=(Vip(ip=VIP.vip),))
        self.records = msgspec.structs.replace(site(), cluster=cluster(spec=spec))

    def apply(self, change: Change, *, is_lost: bool = False) -> None:
        """`is_lost`: the store fails to write the change after it was reconciled."""
        transaction = Transaction(self.records, self.timers, self.clock.now())
        try:
            change(transaction)
        except Problem:
            return
        full = reconcile(transaction.records, copy.deepcopy(self.timers), transaction.now)
        cached, diffs = reconcile_change(transaction, self.cache)
        assert cached == full
        assert diffs == diff_hosts(self.records.hosts, cached.hosts)
        if not is_lost:
            self.records = cached
            self.check()

    def check(self) -> None:
        assert reconcile(self.records, self.timers, self.clock.now()) is self.records

    def advance(self, seconds: float) -> None:
        self.clock.advance(seconds)
        self.apply(no_change)

    def answer(self, id: str, step: StepType, output: object) -> None:
        self.timers.checked_in(id)
        reply = StepReply(step_type=step, step_id="", output=msgspec.json.encode(output).decode())
        self.apply(replying(id, reply))


def machine(number: int, *, name: str = "", twin: bool = False) -> object:
    """`twin`: the machine id is the same for all twins. Number 0 has the rendezvous address."""
    found = inventory(mac=mac(number), address=f"127.0.0.{number + 1}", hostname=name or f"host{number}")
    return msgspec.structs.replace(found, machine_id="1" * 32 if twin else f"{number:032x}")


def mac(number: int) -> str:
    return f"52:54:00:00:00:0{number}"


def report(reached: dict[int, int | None]) -> ConnectivityReport:
    """`reached`: number of each peer → number of the host that answers for its address, or None."""
    return ConnectivityReport(remote_hosts=tuple(_remote(peer, answers) for peer, answers in reached.items()))


def _remote(peer: int, answers: int | None) -> RemoteHost:
    address, found = f"127.0.0.{peer + 1}", answers is not None
    answer = L2Connectivity(
        outgoing_nic="eth0", remote_ip_address=address, remote_mac="" if answers is None else mac(answers)
    )
    echo = L3Connectivity(outgoing_nic="eth0", remote_ip_address=address, successful=found, average_rtt_ms=0.3)
    return RemoteHost(host_id=IDS[peer], l2_connectivity=(answer,), l3_connectivity=(echo,))


def host_registers(history: History, host: int) -> None:
    history.apply(register_host(INFRA_ENV_ID, HostRegister(host_id=IDS[host]), token_id=""))


def host_checks_in(history: History, host: int, clock_offset: int = 0) -> None:
    history.apply(check_in(INFRA_ENV_ID, IDS[host], int(history.clock.now().timestamp()) + clock_offset))


def host_reports_inventory(history: History, host: int, name: str = "", twin: bool = False) -> None:
    history.answer(IDS[host], StepType.INVENTORY, machine(host, name=name, twin=twin))


def host_reports_connectivity(history: History, host: int, reached: dict[int, int | None]) -> None:
    peers = {peer: answers for peer, answers in reached.items() if peer != host}
    history.answer(IDS[host], StepType.CONNECTIVITY_CHECK, report(peers))


def host_checks_vip(history: History, host: int, verification: str = "succeeded") -> None:
    history.answer(IDS[host], StepType.VERIFY_VIPS, [msgspec.structs.replace(VIP, verification=verification)])


def host_becomes_ready(history: History, host: int) -> None:
    host_registers(history, host)
    user_updates_host(history, host, True, Role.AUTO_ASSIGN)
    host_checks_in(history, host)
    host_reports_inventory(history, host)
    host_reports_connectivity(history, host, {peer: peer for peer in range(len(IDS))})
    host_checks_vip(history, host)


def host_is_prepared(history: History, host: int) -> None:
    """The host has answered every step between the request to install and the first write."""

    def change(transaction: Transaction) -> None:
        if record := transaction.records.hosts.get(IDS[host]):
            transaction.put_host(msgspec.structs.replace(record, **PREPARED))

    history.apply(change)


def host_reports_stage(history: History, host: int, stage: Stage) -> None:
    history.apply(report_stage(INFRA_ENV_ID, IDS[host], Progress(current_stage=stage)))


def user_updates_host(history: History, host: int, approved: bool, role: Role) -> None:
    history.apply(update_host(INFRA_ENV_ID, IDS[host], HostUpdate(approved=approved, host_role=role)))


def user_removes_host(history: History, host: int) -> None:
    history.apply(remove_host(INFRA_ENV_ID, IDS[host]))


def removal_cannot_be_written(history: History, host: int) -> None:
    history.apply(remove_host(INFRA_ENV_ID, IDS[host]), is_lost=True)


def user_ignores_validations(history: History, ids: str) -> None:
    history.apply(ignore_validations(CLUSTER_ID, IgnoredValidations(host_validation_ids=ids)))


def user_starts_install(history: History) -> None:
    history.apply(start_install(CLUSTER_ID))


def time_passes(history: History, seconds: float) -> None:
    history.advance(seconds)


hosts = st.integers(0, len(IDS) - 1)
actions = st.one_of(
    action(host_becomes_ready, hosts),
    action(host_becomes_ready, hosts),
    action(host_registers, hosts),
    action(host_checks_in, hosts, st.sampled_from([0, 10, 1000])),
    action(host_reports_inventory, hosts, st.sampled_from(["", "", "twin", "localhost"]), st.booleans()),
    action(host_reports_connectivity, hosts, st.dictionaries(hosts, st.none() | hosts)),
    action(host_checks_vip, hosts, st.sampled_from(["succeeded", "failed"])),
    action(host_is_prepared, hosts),
    action(
        host_reports_stage,
        hosts,
        st.sampled_from([Stage.STARTING_INSTALLATION, Stage.WRITING_IMAGE, Stage.REBOOTING, Stage.DONE]),
    ),
    action(user_updates_host, hosts, st.booleans(), st.sampled_from(Role)),
    action(user_removes_host, hosts),
    action(removal_cannot_be_written, hosts),
    action(user_ignores_validations, st.sampled_from(["[]", '["all"]', '["hostname-unique"]'])),
    action(user_starts_install),
    action(time_passes, st.sampled_from([1.0, 100.0, 181.0, 700.0])),
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(ready_hosts=st.integers(0, len(IDS)), happened=st.lists(actions, min_size=5, max_size=25))
def test_reconciling_with_a_cache_gives_what_the_full_evaluation_gives(
    ready_hosts: int, happened: list[Action]
) -> None:
    history = History()
    for number in range(ready_hosts):
        host_becomes_ready(history, number)
    for each in happened:
        note(repr(each))
        each(history)


def test_a_generated_history_with_a_cache_can_reach_the_install() -> None:
    """Without this, the property could hold because no history reaches an install."""
    history = History()
    for number in range(4):
        host_becomes_ready(history, number)
    user_starts_install(history)
    for number in range(4):
        host_is_prepared(history, number)
    assert {found.status for found in history.records.hosts.values()} == {HostStatus.INSTALLING}


def test_a_host_that_moves_to_another_status_is_validated_once(monkeypatch: pytest.MonkeyPatch) -> None:
    history = History()
    host_registers(history, 0)
    validated: list[str] = []
    evaluate = validations.evaluate_host_validations

    def recorded(facts: HostFacts) -> tuple[Evaluated, ...]:
        validated.append(facts.host.id)
        return evaluate(facts)

    monkeypatch.setattr(validations, "evaluate_host_validations", recorded)
    reply = StepReply(step_type=StepType.INVENTORY, step_id="", output=msgspec.json.encode(machine(0)).decode())
    transaction = Transaction(history.records, history.timers, history.clock.now())
    replying(IDS[0], reply)(transaction)
    _, diffs = reconcile_change(transaction, history.cache)
    assert diffs[IDS[0]].changes(lambda host: host.status)
    assert validated == [IDS[0]]


class NoHosts(ClusterFacts):
    """The cluster's facts; reading its hosts fails."""

    def __getattribute__(self, name: str) -> object:
        assert name not in {"hosts", "roles"}, "the validation reads hosts and does not declare it in `depends_on`"
        return super().__getattribute__(name)


@pytest.mark.parametrize("validation", [item for item in validations.CLUSTER_VALIDATIONS if item.depends_on is no_host])
def test_a_validation_without_depends_on_reads_no_host(validation: Validation[ClusterFacts]) -> None:
    facts = NoHosts(cluster=cluster(), hosts=())
    assert not validation.applies(facts) or validation.verdict(facts).message
