"""Histories of hosts and their users: the changes of node0's service without REST and disk, and with a fake clock."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec

from agent.api.hosts import HostRegister, HostUpdate
from agent.api.requests import IgnoredValidations
from agent.api.steps import Progress, Step, StepReply, StepType
from agent.model.problems import Problem
from agent.model.states import ClusterStatus, HostStatus, Stage
from node0 import validations
from node0.changes.check_in import check_in
from node0.changes.host_registration import register_host
from node0.changes.host_update import update_host
from node0.changes.ignored_validations import ignore_validations
from node0.changes.install import start_install
from node0.changes.stage_report import report_stage
from node0.changes.step_reply import accept_reply
from node0.instructions.steps import DISK_WRITING, StepPlan
from node0.reconcile.evaluate import ignored_of_hosts
from node0.reconcile.evaluation_cache import EvaluationCache
from node0.reconcile.reconcile import reconcile, reconcile_change
from node0.reconcile.timers import Timers
from node0.reconcile.transaction import Change, Transaction, no_change
from node0.store.records import Evaluated, HostRecord, Records
from node0.validations.engine.evaluation import evaluate, failing
from node0.validations.engine.facts import ClusterFacts, HostFacts
from node0.validations.engine.identities import IdentityIndex
from node0.validations.engine.ignored import CLUSTER_NEVER_IGNORED, IgnoredIds
from node0.validations.engine.validation import Gate
from node0.validations.host.peers.belongs_to_majority_group import majority_group
from replay.answers import good_answer
from tests.fakes.agent.agent import inventory
from tests.fakes.node0.clock import ManualClock
from tests.fakes.node0.records import CLUSTER_ID, INFRA_ENV_ID, SPEC, cluster, site

HOSTS = [f"{n}0000000-0000-4000-8000-000000000000" for n in range(3)]

# Once the install runs, a host may become unresponsive, and no host is waiting to be installed any more.
ONLY_BEFORE = frozenset({"connected", "all-hosts-are-ready-to-install"})


def replying(id: str, reply: StepReply) -> Change:
    """The change that `reply` of host `id` makes."""
    return lambda transaction: accept_reply(transaction.records.get_host(INFRA_ENV_ID, id), reply)(transaction)


class History:
    """Applies and reconciles real changes.

    Raises AssertionError if a step that writes to a disk is sent while a blocking validation of the cluster or of any
    approved host fails.
    """

    def __init__(self, masters: int = 1) -> None:
        self.clock = ManualClock()
        self.timers = Timers(self.clock)
        self.cache = EvaluationCache()
        self.plan = StepPlan(clock=self.clock)
        spec = msgspec.structs.replace(SPEC, control_plane_count=masters)
        self.records = msgspec.structs.replace(site(), cluster=cluster(spec=spec))
        self.open: dict[str, list[Step]] = {id: [] for id in HOSTS}
        self.writes = 0

    def apply(self, change: Change) -> None:
        transaction = Transaction(self.records, self.timers, self.clock.now())
        try:
            change(transaction)
        except Problem:
            return
        self.records = reconcile_change(transaction, self.cache).records
        self.check()

    def check(self) -> None:
        """Reconciling with a cache evaluates few hosts; evaluating all of them must find nothing more to do."""
        assert reconcile(self.records, self.timers, self.clock.now()) is self.records

    def check_in(self, id: str) -> None:
        """The host requests its steps."""
        if id not in self.records.hosts:
            return
        self.timers.checked_in(id)
        self.apply(check_in(INFRA_ENV_ID, id, int(self.clock.now().timestamp())))
        for step in self.plan.take(self.records.hosts[id], self.records):
            if step.step_type in DISK_WRITING:
                self.writes += 1
                assert not list(self.failing(id)), f"{step.step_type} was sent to {id}"
            self.open[id].append(step)

    def failing(self, id: str) -> Iterator[str]:
        """The blocking validations that a write to the disk of `id` needs and that fail, evaluated from scratch.

        A line for each. A late host holds up only its own install.
        """
        hosts = tuple(host for host in self.records.hosts.values() if host.approved)
        cluster = self.records.cluster
        assert cluster is not None
        runs = cluster.status is not ClusterStatus.PREPARING_FOR_INSTALLATION
        left_out = ONLY_BEFORE if runs else frozenset()
        in_time = tuple(host for host in hosts if not host.late)
        for host in (host for host in hosts if host.id == id or host in in_time):
            evaluated = [item for item in self._evaluated(host, hosts) if item.result.id not in left_out]
            found = failing(evaluated, ignored_of_hosts(cluster))
            yield from (f"{host.label}: {words}" for gate, words in found.items() if gate is not Gate.SHOWN)
        evaluated = [
            item
            for item in evaluate(validations.CLUSTER_VALIDATIONS, ClusterFacts(cluster, in_time))
            if item.result.id not in left_out
        ]
        yield from map(
            str, failing(evaluated, IgnoredIds(cluster.ignored_cluster_validations, CLUSTER_NEVER_IGNORED)).items()
        )

    def _evaluated(self, host: HostRecord, hosts: tuple[HostRecord, ...]) -> tuple[Evaluated, ...]:
        facts = HostFacts(
            host=host,
            cluster=self.records.cluster,
            is_unresponsive=self.timers.is_unresponsive(host),
            same_identity=IdentityIndex.of(hosts).counts(host),
            peers=tuple(self.records.hosts[peer] for peer in host.peers),
            majority=majority_group(hosts),
        )
        return validations.evaluate_host_validations(facts)

    def register(self, id: str) -> None:
        self.apply(register_host(INFRA_ENV_ID, HostRegister(host_id=id), token_id=""))
        self.plan.forget(id)
        self.open[id].clear()

    def answer(self, id: str, spoil: Callable[[Step, StepReply], StepReply] = lambda _, reply: reply) -> None:
        """Answer every open step as a good host does, or with a reply that `spoil` has changed."""
        number = HOSTS.index(id)
        machine = inventory(mac=f"52:54:00:00:00:0{number}", address=f"127.0.0.{number + 1}", hostname=f"host{number}")
        while self.open[id]:
            step = self.open[id].pop()
            if step.step_type == StepType.INSTALL:
                continue
            output = msgspec.json.encode(good_answer(step, machine)).decode()
            reply = StepReply(step_type=step.step_type, step_id=step.step_id, output=output)
            self.apply(replying(id, spoil(step, reply)))

    def approve(self, id: str, approved: bool = True) -> None:
        self.apply(update_host(INFRA_ENV_ID, id, HostUpdate(approved=approved)))

    def install(self) -> None:
        self.apply(start_install(CLUSTER_ID))

    def apply_reset(self, change: Change) -> None:
        """A reset, after which the hosts are sent all steps again, or a cancelled install."""
        self.apply(change)
        for id in HOSTS:
            if id in self.records.hosts and self.records.hosts[id].status is HostStatus.RESETTING:
                self.plan.forget(id)

    def report_progress(self, id: str) -> None:
        self.apply(report_stage(INFRA_ENV_ID, id, Progress(current_stage=Stage.STARTING_INSTALLATION)))

    def rename(self, id: str, name: str) -> None:
        self.apply(update_host(INFRA_ENV_ID, id, HostUpdate(host_name=name)))

    def restart(self) -> None:
        """The service is killed and started: it keeps the records, and loses timers, cache and step plan."""
        self.records = msgspec.json.decode(msgspec.json.encode(self.records), type=Records)
        self.timers = Timers(self.clock)
        self.cache = EvaluationCache()
        self.plan = StepPlan(clock=self.clock)
        self.apply(no_change)

    def ignore_validations(self, *ids: str) -> None:
        listed = msgspec.json.encode(ids).decode()
        self.apply(ignore_validations(CLUSTER_ID, IgnoredValidations(host_validation_ids=listed)))

    def advance(self, seconds: float) -> None:
        self.clock.advance(seconds)
        self.apply(no_change)
