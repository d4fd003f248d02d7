"""A control plane's `kubeadm join`, in two halves that run beside each other.

One makes the host a node. The other enters etcd, when it is this host's turn, and then lets the kubelet start the rest
of the control plane. Only the second half is serial: every other control plane waits for it, and for nothing else.

To stop a member that votes could take the majority, and with it the API, away. So nothing is started over from the
moment at which this host's member may vote.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agent.api.join import JoinCredential
from agent.etcd.client import Etcd, EtcdUnreachable, connect
from agent.etcd.membership import await_vote, become_voter, enter, knows, votes
from agent.kubeadm import done, leftovers, static_pod_patches, static_pods
from agent.kubeadm.kinds import ETCD_PKI, KUBELET_KUBECONFIG
from agent.kubeadm.node0 import Node0
from agent.kubeadm.program import kubeadm_join, payload_of
from agent.machine import Machine
from agent.model.endpoints import ETCD_PEER_PORT, ETCD_PORT, endpoint
from agent.model.payload import KubeadmApi, PayloadManifest
from agent.model.problems import Problem

CONFIG_FILE = "/run/cluster0/kubeadm-join.yaml"
ETCD_CONFIG_FILE = "/run/cluster0/kubeadm-join-etcd.yaml"
ADMIN_KUBECONFIG = "/etc/kubernetes/admin.conf"
# On the state file system, so of this installation: this host's member of etcd may vote.
MAY_VOTE_FILE = "/var/lib/cluster0/etcd-may-vote"

# Phases of `kubeadm join`, up to 1.30: what is done before the two halves, and the half that enters etcd.
BEFORE = ("preflight", "control-plane-prepare", "check-etcd")
ENTER = "control-plane-join/etcd"
KUBELET = "kubelet-start"
SECONDS_BETWEEN_LOOKS = 0.2


@dataclass(frozen=True)
class ControlPlane:
    """One attempt of this host. Every method raises Problem."""

    machine: Machine
    credential: JoinCredential
    node0: Node0

    async def may_vote(self) -> bool:
        """Whether an earlier attempt came so far: to be finished, and not started over."""
        if self.machine.files.at(MAY_VOTE_FILE).exists():
            return True
        try:
            async with connect(endpoint(self.credential.address, ETCD_PORT), self._pki) as own:
                return await votes(own, self.credential.node_name)
        except EtcdUnreachable:
            return False

    async def is_known(self) -> bool:
        """Whether etcd knows the member, if the kubelet has one to run."""
        if not self._has_etcd:
            return True
        try:
            async with self._etcd() as etcd:
                return await knows(etcd, self._peer_url)
        except EtcdUnreachable:
            return False

    async def join(self, *, goes_on: bool) -> None:
        """`goes_on`: continue where the attempt before gave up."""
        if not goes_on:
            await self._prepare()
        if self._payload.kubeadm_api is KubeadmApi.V1BETA4:
            await self._join_at_once()
        else:
            await _both(self._become_node(), self._enter_etcd())

    async def finish(self) -> None:
        """Do what remains once this host may vote. The kubelet has started its etcd by itself."""
        async with self._etcd() as etcd:
            if not await knows(etcd, self._peer_url):
                self.machine.files.at(MAY_VOTE_FILE).unlink(missing_ok=True)
                raise Problem(code="etcd-member-removed", title="etcd does not know this host's member any more.")
            if not await votes(etcd, self.credential.node_name):
                await self.node0.turn_to_enter_etcd()
            await self._vote(etcd)
        await asyncio.to_thread(static_pods.release, self.machine)
        if self._payload.kubeadm_api is not KubeadmApi.V1BETA4:
            await self._become_node()

    async def _prepare(self) -> None:
        static_pod_patches.prepare(self.machine, self._payload.kubernetes_version)
        await self._kubeadm("phase", "control-plane-prepare", "all", f"--config={CONFIG_FILE}", *self._patches)
        # From 1.31 on kubeadm starts etcd first by itself, and the kubelet may need the API server of its own host.
        if self._payload.kubeadm_api is not KubeadmApi.V1BETA4:
            await asyncio.to_thread(static_pods.hold_back, self.machine)

    async def _become_node(self) -> None:
        skipped = (*BEFORE, ENTER, *((KUBELET,) if self._has_etcd else ()))
        await self._kubeadm(f"--config={CONFIG_FILE}", f"--skip-phases={','.join(skipped)}", *self._patches)

    async def _enter_etcd(self) -> None:
        # Others wait from here on: not for a host whose kubelet does not start. It needs no certificate for etcd's pod.
        while not self.machine.files.at(KUBELET_KUBECONFIG).exists():
            await self.machine.clock.sleep(SECONDS_BETWEEN_LOOKS)
        await self.node0.turn_to_enter_etcd()
        async with self._etcd() as etcd:
            await self._make_known(etcd)
            if not self._has_etcd:
                phase = ("phase", *ENTER.split("/"))
                await self._kubeadm(*phase, f"--config={ETCD_CONFIG_FILE}", *self._patches)
            await done.mark(self.machine, MAY_VOTE_FILE)
            await self._vote(etcd)
        await asyncio.to_thread(static_pods.release, self.machine)

    async def _join_at_once(self) -> None:
        """From 1.31 on kubeadm's phases have another order, in which the kubelet needs etcd before it is a node.

        kubeadm itself makes the learner a voter, while the API server of this host has yet to start.
        """
        await self.node0.turn_to_enter_etcd()
        async with self._etcd() as etcd:
            await self._make_known(etcd)
            reporting = asyncio.create_task(self._report_kubeadms_vote(etcd))
            try:
                await self._kubeadm(f"--config={CONFIG_FILE}", f"--skip-phases={','.join(BEFORE)}", *self._patches)
            finally:
                reporting.cancel()
                await asyncio.gather(reporting, return_exceptions=True)
            await self._vote(etcd)

    async def _report_kubeadms_vote(self, etcd: Etcd) -> None:
        await await_vote(etcd, self._peer_url, self.machine.clock)
        await self.node0.report_vote()

    async def _make_known(self, etcd: Etcd) -> None:
        """kubeadm will find its etcd member known already, and only start it."""
        await self.node0.say("entering etcd")
        has_data = bool(self.machine.files.names(f"{leftovers.ETCD}/member"))
        if await enter(etcd, self._peer_url, self.machine.clock, has_data=has_data):
            await asyncio.to_thread(leftovers.empty, self.machine, leftovers.ETCD)
        members = await etcd.members()
        static_pod_patches.name_etcd_member(self.machine, members, self.credential.node_name, self._peer_url)

    async def _vote(self, etcd: Etcd) -> None:
        await self.node0.say("waiting for etcd to be in sync")
        await become_voter(etcd, self._peer_url, self.machine.clock)
        await self.node0.report_vote()

    async def _kubeadm(self, *arguments: str) -> None:
        await kubeadm_join(self.machine, self.node0.say, *arguments)

    def _etcd(self) -> AbstractAsyncContextManager[Etcd]:
        return connect(self.credential.etcd_endpoint, self._pki)

    @property
    def _pki(self) -> Path:
        return self.machine.files.at(ETCD_PKI)

    @property
    def _payload(self) -> PayloadManifest:
        return payload_of(self.machine)

    @property
    def _patches(self) -> tuple[str, ...]:
        return static_pod_patches.on_command_line(self._payload.kubeadm_api)

    @property
    def _has_etcd(self) -> bool:
        return "etcd.yaml" in self.machine.files.names(static_pods.MANIFESTS)

    @property
    def _peer_url(self) -> str:
        return f"https://{endpoint(self.credential.address, ETCD_PEER_PORT)}"


async def _both(*halves: Coroutine[Any, Any, None]) -> None:
    """Return when both have ended well. The first that fails ends the other, and its exception is raised."""
    tasks = [asyncio.ensure_future(half) for half in halves]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
