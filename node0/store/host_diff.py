"""The hosts that differ between two records: added, changed or removed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from node0.store.records import HostRecord


class HostDiff(NamedTuple):
    """A host before and after; None where there is no such host."""

    old: HostRecord | None
    new: HostRecord | None

    def changes(self, part: Callable[[HostRecord], object]) -> bool:
        """Whether `part` of the host differs; where there is no host, its part is None."""
        return (self.old and part(self.old)) != (self.new and part(self.new))


HostDiffs = dict[str, HostDiff]
"""By id of the host."""


def diff_hosts(before: Mapping[str, HostRecord], after: Mapping[str, HostRecord]) -> HostDiffs:
    """Compares identity, not content: a record that did not change is the same object."""
    changed = {id: HostDiff(before.get(id), host) for id, host in after.items() if before.get(id) is not host}
    removed = {id: HostDiff(before[id], None) for id in before.keys() - after.keys()}
    return changed | removed


def diff_some(before: Mapping[str, HostRecord], after: Mapping[str, HostRecord], ids: Iterable[str]) -> HostDiffs:
    """As `diff_hosts`, where only the hosts `ids` may differ."""
    pairs = {id: HostDiff(before.get(id), after.get(id)) for id in ids}
    return {id: pair for id, pair in pairs.items() if pair.old is not pair.new}


def extend(diffs: HostDiffs, more: HostDiffs) -> None:
    """Add `more`, which begin with the records that `diffs` end with."""
    for id, diff in more.items():
        diffs[id] = HostDiff(diffs[id].old, diff.new) if id in diffs else diff


def any_changes(diffs: Iterable[HostDiff], part: Callable[[HostRecord], object]) -> bool:
    return any(diff.changes(part) for diff in diffs)
