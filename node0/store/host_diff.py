"""What is different between two records: hosts that came, changed, or went."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from node0.store.records import HostRecord


class HostDiff(NamedTuple):
    """A host before and after; None: it was not there yet, or is not there any more."""

    old: HostRecord | None
    new: HostRecord | None

    def changes(self, part: Callable[[HostRecord], object]) -> bool:
        """Whether `part` of the host is another one; of a host that is not there it is None."""
        return (self.old and part(self.old)) != (self.new and part(self.new))


HostDiffs = dict[str, HostDiff]
"""By id of the host."""


def diff_hosts(before: Mapping[str, HostRecord], after: Mapping[str, HostRecord]) -> HostDiffs:
    """A record that did not change is the same object: what is in it is not looked at."""
    came = {key: HostDiff(before.get(key), host) for key, host in after.items() if before.get(key) is not host}
    went = {key: HostDiff(before[key], None) for key in before.keys() - after.keys()}
    return came | went


def any_changes(moved: Iterable[HostDiff], part: Callable[[HostRecord], object]) -> bool:
    return any(move.changes(part) for move in moved)
