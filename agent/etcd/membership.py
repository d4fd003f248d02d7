"""How a control plane becomes a voter of etcd without putting the quorum of the others at risk.

A member counts for the quorum from the moment it is added, but answers only once its host has started it. `kubeadm
join` adds a voter, before 1.29 with two seconds for each try: on a slow disk the first try is carried out and never
answered, and the second control plane has taken the first one's quorum away for good. A learner does not count.
"""

from __future__ import annotations

import logging

from agent.etcd.client import Etcd, EtcdRefused, EtcdUnreachable, Member
from agent.machine import Clock

log = logging.getLogger(__name__)

SECONDS_BETWEEN_TRIES = 0.5


async def enter(etcd: Etcd, own: str, clock: Clock, *, has_data: bool) -> bool:
    """Make the member with the peer URL `own` known, as a learner; true when it was not. A repeat changes nothing.

    has_data: this host has a member's data. Without them, a member that has run under this URL was on a disk that is no
    more, and goes first. Data of a member that etcd does not know are worth nothing.

    Another learner goes as well: control planes enter one at a time, so its host has failed, and etcd takes one
    learner. Where etcd does not take a member yet, this waits: set a deadline around it. Raises `EtcdRefused`,
    `EtcdUnreachable`.
    """
    members = await etcd.members()
    for other in members:
        if other.is_learner and own not in other.peer_urls:
            log.warning("etcd member %s of a host that did not join is removed", ", ".join(other.peer_urls))
            await etcd.remove(other)
    known = _member(members, own)
    if known is not None and known.name and not has_data:
        log.warning("etcd member %s was on a disk of this host that is no more: removing it", known.name)
        await etcd.remove(known)
        known = None
    if known is not None:
        return False
    await _add(etcd, own, clock)
    return True


async def _add(etcd: Etcd, own: str, clock: Clock) -> None:
    """etcd takes no member before all voters have been connected for five seconds ("unhealthy cluster").

    So it refuses while one of them does not run, and for a moment after another control plane has entered.
    """
    while True:
        try:
            return await etcd.add_learner(own)
        except EtcdRefused as refusal:
            log.info("%s", refusal.title)
        await clock.sleep(SECONDS_BETWEEN_TRIES)


async def become_voter(etcd: Etcd, own: str, clock: Clock) -> None:
    """Return when the member with the peer URL `own` votes; it must be running. Set a deadline around it."""
    while True:
        try:
            known = _member(await etcd.members(), own)
            if known is not None and not known.is_learner:
                return
            if known is not None and known.name:
                await etcd.promote(known)
                return
        except (EtcdRefused, EtcdUnreachable) as problem:
            log.info("%s", problem.title)
        await clock.sleep(SECONDS_BETWEEN_TRIES)


async def await_vote(etcd: Etcd, own: str, clock: Clock) -> None:
    """Return when the member with the peer URL `own` votes, as another program has made it do."""
    while True:
        try:
            known = _member(await etcd.members(), own)
            if known is not None and not known.is_learner:
                return
        except (EtcdRefused, EtcdUnreachable) as problem:
            log.info("%s", problem.title)
        await clock.sleep(SECONDS_BETWEEN_TRIES)


async def knows(etcd: Etcd, own: str) -> bool:
    """Does etcd know a member with the peer URL `own`? Raises `EtcdRefused`, `EtcdUnreachable`."""
    return _member(await etcd.members(), own) is not None


async def votes(etcd: Etcd, name: str) -> bool:
    """Whether etcd has a voter of this name. A learner lists no members, so for itself the answer is no.
    Raises `EtcdUnreachable`."""
    try:
        members = await etcd.members()
    except EtcdRefused as refusal:
        log.info("%s", refusal.title)
        return False
    return any(member.name == name and not member.is_learner for member in members)


def _member(members: tuple[Member, ...], own: str) -> Member | None:
    return next((member for member in members if own in member.peer_urls), None)
