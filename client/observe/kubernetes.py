"""Observes the Kubernetes API with the admin kubeconfig."""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

from agent.kubernetes.client import ApiRefused, ApiUnreachable, Kubernetes, ObjectList
from agent.kubernetes.kubeconfig import read_kubeconfig
from agent.kubernetes.milestones import Milestone, is_reached
from agent.kubernetes.nodes import NODES, Node
from agent.machine.clock import Clock
from agent.model.endpoints import API_PORT
from client.observe.name_probe import NameProbe
from client.observe.observation import KubernetesView, NodeView
from client.remote.target import Target

_ANSWER_SECONDS = 10.0


class KubernetesWatcher:
    """Use as an async context manager. `by_name` starts once the address answers."""

    def __init__(self, target: Target, clock: Clock) -> None:
        server, tls = read_kubeconfig(target.kubeconfig)
        self._api = Kubernetes(server=server, tls=tls)
        self.by_name = NameProbe(target.api_name, urlsplit(server).port or API_PORT, tls, clock)

    async def __aenter__(self) -> Self:
        await self._api.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None
    ) -> None:
        await self.by_name.close()
        await self._api.__aexit__(kind, error, tb)

    async def observe(self) -> KubernetesView:
        """Reading objects, rather than /readyz, proves that the API server has its database and knows us."""
        try:
            async with asyncio.timeout(_ANSWER_SECONDS):
                nodes = await self._api.get(NODES, ObjectList[Node])
                bootstrapped = await is_reached(self._api, Milestone.BOOTSTRAP_COMPLETE)
                installed = await is_reached(self._api, Milestone.INSTALL_COMPLETE)
        except TimeoutError:
            return KubernetesView(answers=False, why=f"No answer within {_ANSWER_SECONDS:g} s.")
        except (ApiUnreachable, ApiRefused) as problem:  # right after its start it does not know its own roles yet
            return KubernetesView(answers=False, why=problem.title)
        self.by_name.start_if_due()
        return KubernetesView(
            answers=True,
            bootstrapped=bootstrapped,
            installed=installed,
            nodes=_views(nodes.items),
            by_name=self.by_name.seen,
        )


def _views(nodes: tuple[Node, ...]) -> tuple[NodeView, ...]:
    return tuple(NodeView(node.name, node.is_ready, node.why_not_ready, node.is_control_plane) for node in nodes)
