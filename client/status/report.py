"""Where an install stands at this moment: what `wait-for` would say first."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import msgspec

from agent.machine.clock import Clock
from client.hosts.rows import HostRow, rows
from client.observe.kubernetes import KubernetesWatcher
from client.observe.observation import Observation, Reach
from client.observe.phase import Situation, standing
from client.observe.service import ServiceWatcher
from client.remote.service import watching
from client.remote.target import Target


class NodeReport(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    ready: bool
    why: str = ""


class KubernetesReport(msgspec.Struct, frozen=True, kw_only=True):
    """`why`, `why_not_by_name`: the words for anything but an answer."""

    answers: bool
    why: str = ""
    why_not_by_name: str = ""
    nodes: tuple[NodeReport, ...] = ()


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """What `-o json` prints. `service`: how far a call to node0 got. `percent`: of the whole install."""

    schema: int = 1
    cluster: str
    situation: Situation
    message: str
    remedy: str = ""
    percent: int = 0
    service: Reach
    kubernetes: KubernetesReport
    hosts: tuple[HostRow, ...] = ()

    @property
    def anybody_answers(self) -> bool:
        return self.service is Reach.ANSWERS or self.kubernetes.answers


async def look(target: Target) -> Report:
    """Raises `Refused` when our token is not accepted."""
    clock = Clock()
    async with watching(target) as client, KubernetesWatcher(target, clock) as api:
        service, kubernetes = await asyncio.gather(ServiceWatcher(client, target.intent.cluster_id).look(), api.look())
        kubernetes = replace(kubernetes, by_name=await api.by_name.answered())
    return report(Observation(clock.monotonic(), service, kubernetes), target)


def report(seen: Observation, target: Target) -> Report:
    where, cluster, api = standing(seen, None, target), seen.service.cluster, seen.kubernetes
    return Report(
        cluster=target.intent.domain,
        situation=where.situation,
        message=where.detail,
        remedy=where.remedy,
        percent=cluster.progress.total_percentage if cluster else 0,
        service=seen.service.reach,
        kubernetes=KubernetesReport(
            answers=api.answers,
            why=api.why,
            why_not_by_name=api.by_name.why if api.by_name else "",
            nodes=tuple(NodeReport(name=node.name, ready=node.ready, why=node.why) for node in api.nodes),
        ),
        hosts=rows(cluster, target) if cluster else (),
    )
