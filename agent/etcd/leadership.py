"""A member that is about to stop lets another one lead first.

Without it the others notice only after the election timeout that the leader is gone. They lose what was written
meanwhile, and each such request of an API server hangs until its own timeout. etcd does the same when it is
stopped by SIGTERM, but not every host stops its pods while the network is up.
"""

from __future__ import annotations

import asyncio
import logging

from agent.etcd.client import Etcd, EtcdRefused, EtcdUnreachable

log = logging.getLogger(__name__)

SECONDS_FOR_EACH = 15.0


async def hand_over(etcd: Etcd) -> None:
    """Let another voter lead, if the member leads. Where none can, the others elect one when it has gone."""
    try:
        own = await etcd.led_by_itself()
        voters = [each for each in await etcd.members() if not each.is_learner and each.id != own] if own else []
    except (EtcdRefused, EtcdUnreachable) as problem:
        log.warning("%s", problem.title)
        return
    for member in voters:
        try:
            async with asyncio.timeout(SECONDS_FOR_EACH):
                await etcd.make_leader(member)
        except (EtcdRefused, EtcdUnreachable, TimeoutError) as problem:
            log.warning("%s does not become etcd's leader: %s", member.name, problem)
        else:
            log.info("%s is etcd's leader now", member.name)
            return
