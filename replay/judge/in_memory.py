"""node0's service and driver in this process: the same changes and plans, without REST, disk and other processes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from agent.api.steps import StepReply
from agent.machine.clock import Clock
from agent.model.intent import ClusterIntent
from node0.changes.cluster_registration import register_cluster, register_infra_env
from node0.changes.host_update import update_host
from node0.changes.step_reply import accept_reply
from node0.create_cluster.actions import Action, DecideHost, RegisterCluster, RegisterInfraEnv
from node0.create_cluster.actual import Actual
from node0.create_cluster.plan import plan
from node0.reconcile.reconcile import reconcile
from node0.reconcile.timers import Timers
from node0.reconcile.transaction import Change, Transaction
from node0.rest.views.clusters import cluster_view, infra_env_view
from node0.rest.views.hosts import host_view
from node0.store.records import Records


def replied(infra_env_id: str, host_id: str, reply: StepReply) -> Change:
    """The change for a reply of a host that may only register in the same transaction."""

    def change(transaction: Transaction) -> None:
        accept_reply(transaction.records.get_host(infra_env_id, host_id), reply)(transaction)

    return change


class InMemoryNode0:
    """`records`: what the service would have stored."""

    def __init__(self, intent: ClusterIntent) -> None:
        self.records = Records()
        self._intent = intent
        self._clock = Clock()
        self._timers = Timers(self._clock)

    def apply(self, changes: Iterable[Change]) -> None:
        """Make the changes, and reconcile once. Raises Problem of the first that is not possible."""
        transaction = Transaction(self.records, self._timers, self._clock.now())
        for change in changes:
            change(transaction)
        self.records = reconcile(transaction.records, self._timers, transaction.now)

    def drive(self) -> None:
        """Do what the driver plans, until it waits or would start the install."""
        while changes := list(self._planned()):
            self.apply(changes)

    def _planned(self) -> Iterator[Change]:
        for action in plan(self._actual(), self._intent, kubernetes_version=""):
            yield from self._changes(action)

    def _changes(self, action: Action) -> Iterator[Change]:
        match action:
            case RegisterCluster(body):
                yield register_cluster(body, cluster_id=self._intent.cluster_id)
            case RegisterInfraEnv(body):
                yield register_infra_env(body, infra_env_id=self._intent.infra_env_id)
            case DecideHost(host_id, body):
                yield update_host(self._intent.infra_env_id, host_id, body)
            case _:
                return

    def _actual(self) -> Actual:
        cluster, infra_env = self.records.cluster, self.records.infra_env
        return Actual(
            cluster=cluster_view(cluster, self.records) if cluster else None,
            infra_env=infra_env_view(infra_env) if infra_env else None,
            hosts=tuple(host_view(host, cluster) for host in self.records.hosts.values()),
        )
