"""The state of an install at this moment: what `wait-for` would report first."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import msgspec

from agent.machine.clock import Clock
from agent.model.problems import ProblemReport
from client.hosts.rows import HostRow, rows
from client.observe.kubernetes import KubernetesWatcher
from client.observe.observation import Observation, Reach
from client.observe.phase import InstallPhase, install_status
from client.observe.service import ServiceWatcher
from client.remote.service import watcher_client
from client.remote.ssh import Login
from client.remote.target import Target
from client.status.service_problems import service_problems


class NodeReport(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    ready: bool
    why: str = ""


class KubernetesReport(msgspec.Struct, frozen=True, kw_only=True):
    """`why`, `why_not_by_name`: the reason for anything but an answer."""

    answers: bool
    why: str = ""
    why_not_by_name: str = ""
    nodes: tuple[NodeReport, ...] = ()


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """What `-o json` prints. `service`: how far a call to node0 got. `percent`: of the whole install.

    `problems`: what keeps node0's service from answering, in its own words.
    """

    schema: int = 1
    cluster: str
    phase: InstallPhase = msgspec.field(name="situation")
    message: str
    remedy: str = ""
    percent: int = 0
    service: Reach
    problems: tuple[ProblemReport, ...] = ()
    kubernetes: KubernetesReport
    hosts: tuple[HostRow, ...] = ()

    @property
    def is_any_reachable(self) -> bool:
        return self.service is Reach.ANSWERS or self.kubernetes.answers


async def read_report(target: Target, login: Login) -> Report:
    """Observes both APIs once; reads by SSH what keeps the service of a node0 that is up from answering.

    Raises `Refused` when our token is not accepted.
    """
    clock = Clock()
    async with watcher_client(target) as client, KubernetesWatcher(target, clock) as api:
        watcher = ServiceWatcher(client, target.intent.cluster_id)
        service, kubernetes = await asyncio.gather(watcher.observe(), api.observe())
        kubernetes = replace(kubernetes, by_name=await api.by_name.result())
    is_down = service.reach in {Reach.REFUSED, Reach.UNTRUSTED}
    problems = await service_problems(login, target.address) if is_down else ()
    return report(Observation(clock.monotonic(), service, kubernetes), target, problems)


def report(now: Observation, target: Target, problems: tuple[ProblemReport, ...]) -> Report:
    status, cluster, api = install_status(now, None, target), now.service.cluster, now.kubernetes
    return Report(
        cluster=target.intent.domain,
        phase=status.phase,
        message=status.detail,
        remedy=status.remedy,
        percent=cluster.progress.total_percentage if cluster else 0,
        service=now.service.reach,
        problems=problems,
        kubernetes=KubernetesReport(
            answers=api.answers,
            why=api.why,
            why_not_by_name=api.by_name.why if api.by_name else "",
            nodes=tuple(NodeReport(name=node.name, ready=node.ready, why=node.why) for node in api.nodes),
        ),
        hosts=rows(cluster, target) if cluster else (),
    )
