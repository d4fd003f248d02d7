"""Changes that are written to the database in one transaction."""

from __future__ import annotations

import asyncio
from contextvars import Context
from dataclasses import dataclass

from agent.api.events import Event
from node0.reconcile.budget import Budget
from node0.reconcile.evaluation_cache import EvaluationCache
from node0.reconcile.events import events_between
from node0.reconcile.reconcile import Reconciled, reconcile_change
from node0.reconcile.transaction import Change, Transaction
from node0.store.host_diff import HostDiffs, extend
from node0.store.records import Records


@dataclass(frozen=True)
class WaitingChange:
    """`context`: of the request that makes the change. `answer`: the records after it, or why it was not made."""

    change: Change
    context: Context
    answer: asyncio.Future[Records]

    def fail(self, error: Exception) -> None:
        if not self.answer.done():
            self.answer.set_exception(error)


class Batch:
    """Each change is made on the records that the one before leaves.

    before, after: the records, and the hosts that differ: diffs. events: without ids.
    made: the changes that can be answered once the batch is written, and the records after each.
    """

    def __init__(self, before: Records) -> None:
        self.before = self.after = before
        self.diffs: HostDiffs = {}
        self.events: list[Event] = []
        self.made: list[tuple[WaitingChange, Records]] = []

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to write."""
        return self.after == self.before and not self.events

    def make(self, waiting: WaitingChange, transaction: Transaction, cache: EvaluationCache, budget: Budget) -> None:
        """Make and reconcile a change; `transaction` begins with `after`. If it raises, only this change fails."""
        try:
            reconciled, events = waiting.context.run(_made, waiting.change, transaction, cache, budget)
        except Exception as error:  # noqa: BLE001 - the caller gets it
            waiting.fail(error)
            return
        self.after = reconciled.records
        self.events += events
        extend(self.diffs, reconciled.diffs)
        self.made.append((waiting, self.after))

    def answer(self) -> None:
        """Answer the changes, now that they are written."""
        for waiting, records in self.made:
            waiting.answer.set_result(records)


def _made(
    change: Change, transaction: Transaction, cache: EvaluationCache, budget: Budget
) -> tuple[Reconciled, list[Event]]:
    with budget.measured():
        change(transaction)
        found = reconcile_change(transaction, cache)
        new = events_between(transaction.before, found.records, found.diffs, transaction.now)
        return found, [*transaction.events, *new]
