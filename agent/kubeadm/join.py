"""`cluster0-agent` on an installed host that is not a node yet: fetch a credential from node0, run `kubeadm join`.

It is repeated with a fresh credential, after a failure and after a power cut, until it has ended well once. That a
control plane votes in etcd is the last thing to become true: to stop its etcd from then on could take the majority,
and with it the API, away.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable, Sequence

from agent.api.client import Client, Refused, Unreachable
from agent.api.join import JoinCredential
from agent.api.operations import MINT_JOIN_CREDENTIAL
from agent.etcd.client import EtcdUnreachable, connect
from agent.etcd.membership import become_voter, enter, knows, votes
from agent.kubeadm import done, kubelet_environment, leftovers, static_pod_patches, static_pods
from agent.kubeadm.join_config import discovery_kubeconfig, render
from agent.kubeadm.kinds import ETCD_PKI, KUBELET_KUBECONFIG, PKI
from agent.machine import Machine
from agent.machine.deadline import deadline
from agent.model.endpoints import ETCD_PEER_PORT, ETCD_PORT, endpoint
from agent.model.host_documents import ImagePayload, Installed
from agent.model.host_paths import RELEASE_FILE
from agent.model.payload import KubeadmApi, PayloadManifest
from agent.model.problems import Problem
from agent.model.states import InstallRole

log = logging.getLogger(__name__)

CONFIG_FILE = "/run/cluster0/kubeadm-join.yaml"
DISCOVERY_FILE = "/run/cluster0/kubeadm-discovery.conf"
# On the state file system, so of this installation: this host has joined.
DONE_FILE = "/var/lib/cluster0/joined"

# Every second attempt continues where the one before gave up; the others start over.
ATTEMPTS = 6
# Phases of a control plane's `kubeadm join`: what is done before it, and what need not be repeated.
BEFORE = ("preflight", "control-plane-prepare", "check-etcd")
KUBELET_AND_ETCD = ("kubelet-start", "control-plane-join/etcd")
JOIN_SECONDS = 1800.0
# node0 calls the Kubernetes API several times, which is slow while another control plane starts.
MINT_SECONDS = 180.0
# Control planes are few, and each one delays the next. Workers may be hundreds.
SECONDS_BETWEEN_REQUESTS = {InstallRole.MASTER: 1.0, InstallRole.WORKER: 5.0}
_NOT_YET = frozenset({409, 429, 503})
_PHASE = re.compile(r"\[([a-z0-9/-]+)\]")  # "[kubelet-start] Starting the kubelet"

Say = Callable[[str], Awaitable[None]]


async def join(
    machine: Machine, installed: Installed, client: Client, say: Say, *, node_units: Sequence[str] = ()
) -> None:
    """Return when this host has joined.

    say: called with what the host waits for, and with the phase of kubeadm. node_units: systemd units that need the
    kubelet's kubeconfig, so that their condition did not hold at boot; started once kubeadm has ended.

    Raises Problem: `kubeadm-join-failed` after the last attempt, or node0's refusal.
    """
    if machine.files.at(DONE_FILE).exists():
        return
    for attempt in range(1, ATTEMPTS + 1):
        credential = await _credential(machine, installed, client, say)
        if credential.is_control_plane and await _votes_already(machine, credential):
            await asyncio.to_thread(static_pods.release, machine)
            break
        try:
            goes_on = attempt % 2 == 0 and await _has_begun(machine, credential)
            await _join_once(machine, credential, say, node_units, goes_on=goes_on, is_patient=attempt > 1)
            break
        except Problem as failure:
            if attempt == ATTEMPTS:
                raise Problem(
                    code="kubeadm-join-failed",
                    title=f"kubeadm join failed on {credential.node_name}, {ATTEMPTS} times.",
                    detail=failure.detail,
                    remedy="See the journal of kubelet.service on this host, and that the API server can be reached.",
                ) from failure
            log.warning("kubeadm join failed: %s\n%s", failure.title, failure.detail)
            await say(f"kubeadm join failed, trying again ({attempt} of {ATTEMPTS})")
    await done.mark(machine, DONE_FILE)


async def _credential(machine: Machine, installed: Installed, client: Client, say: Say) -> JoinCredential:
    """Request it until it is this host's turn; node0 may be rebooting."""
    while True:
        try:
            return await client.call(
                MINT_JOIN_CREDENTIAL,
                infra_env_id=installed.infra_env_id,
                host_id=installed.host_id,
                timeout=MINT_SECONDS,
            )
        except Unreachable:
            await say("waiting for node0")
        except Refused as refusal:
            if refusal.status not in _NOT_YET:
                raise
            await say(refusal.title)
        await machine.clock.sleep(SECONDS_BETWEEN_REQUESTS[installed.role])


async def _join_once(
    machine: Machine,
    credential: JoinCredential,
    say: Say,
    node_units: Sequence[str],
    *,
    goes_on: bool,
    is_patient: bool,
) -> None:
    if not goes_on:
        # A control plane's etcd data stay: they are those of a member that the others may know already.
        await leftovers.clean(machine, leftovers.WRITTEN)
        for path, content in credential.control_plane_files.items():
            machine.files.write(f"{PKI}/{path}", content, mode=0o600)
        kubelet_environment.write(machine)
    payload = _payload(machine)
    config = render(
        credential,
        payload.kubeadm_api,
        pause=payload.pause,
        discovery_file=DISCOVERY_FILE,
        is_patient=is_patient,
    )
    machine.files.write(DISCOVERY_FILE, discovery_kubeconfig(credential), mode=0o600)
    machine.files.write(CONFIG_FILE, config, mode=0o600)
    try:
        async with deadline(JOIN_SECONDS, "kubeadm join"):
            await machine.processes.run(["systemctl", "start", "containerd.service"], timeout=120)
            if credential.is_control_plane:
                await _join_control_plane(machine, credential, say, goes_on=goes_on)
            else:
                await _kubeadm(machine, say, f"--config={CONFIG_FILE}", "--skip-phases=preflight")
            for unit in node_units:
                await machine.processes.run(["systemctl", "start", unit], timeout=120)
    finally:
        for path in (CONFIG_FILE, DISCOVERY_FILE):
            machine.files.at(path).unlink(missing_ok=True)


async def _join_control_plane(machine: Machine, credential: JoinCredential, say: Say, *, goes_on: bool) -> None:
    if not goes_on:
        await _prepare(machine, say)
    skipped = (*BEFORE, *KUBELET_AND_ETCD) if _has_etcd(machine) else BEFORE
    own = _peer_url(credential)
    async with connect(credential.etcd_endpoint, machine.files.at(ETCD_PKI)) as etcd:
        await say("entering etcd")
        # kubeadm will find its etcd member known already, and only start it.
        if await enter(etcd, own, has_data=bool(machine.files.names(f"{leftovers.ETCD}/member"))):
            await asyncio.to_thread(leftovers.empty, machine, leftovers.ETCD)
        static_pod_patches.name_etcd_member(machine, await etcd.members(), credential.node_name, own)
        patches = static_pod_patches.on_command_line(_payload(machine).kubeadm_api)
        await _kubeadm(machine, say, f"--config={CONFIG_FILE}", f"--skip-phases={','.join(skipped)}", *patches)
        await say("waiting for etcd to be in sync")
        await become_voter(etcd, own, machine.clock)
    await asyncio.to_thread(static_pods.release, machine)


async def _prepare(machine: Machine, say: Say) -> None:
    payload = _payload(machine)
    static_pod_patches.prepare(machine, payload.kubernetes_version)
    await _kubeadm(machine, say, "phase", "control-plane-prepare", "all", f"--config={CONFIG_FILE}")
    # From 1.31 on kubeadm starts etcd first by itself, and the kubelet may need the API server of its own host.
    if payload.kubeadm_api is not KubeadmApi.V1BETA4:
        await asyncio.to_thread(static_pods.hold_back, machine)


async def _has_begun(machine: Machine, credential: JoinCredential) -> bool:
    """kubeadm gave up at one of its short requests after the kubelet had its certificate: it only needs more time.

    From 1.31 on its phases have other names and another order: there every try starts over.
    """
    if not machine.files.at(KUBELET_KUBECONFIG).exists() or _payload(machine).kubeadm_api is KubeadmApi.V1BETA4:
        return False
    if not _has_etcd(machine):
        return True
    try:
        async with connect(credential.etcd_endpoint, machine.files.at(ETCD_PKI)) as etcd:
            return await knows(etcd, _peer_url(credential))
    except EtcdUnreachable:
        return False


def _has_etcd(machine: Machine) -> bool:
    return "etcd.yaml" in machine.files.names(static_pods.MANIFESTS)


async def _votes_already(machine: Machine, credential: JoinCredential) -> bool:
    """Whether power was cut after the last step: this host's own etcd, started again by the kubelet, is a voter."""
    try:
        own = endpoint(credential.address, ETCD_PORT)
        async with connect(own, machine.files.at(ETCD_PKI)) as etcd:
            return await votes(etcd, credential.node_name)
    except EtcdUnreachable:
        return False


def _peer_url(credential: JoinCredential) -> str:
    return f"https://{endpoint(credential.address, ETCD_PEER_PORT)}"


async def _kubeadm(machine: Machine, say: Say, *arguments: str) -> None:
    phase = ""
    async for line in machine.processes.lines(["kubeadm", "join", *arguments]):
        log.info("%s", line)
        found = _PHASE.match(line)
        if found and found[1] != phase:
            phase = found[1]
            await say(f"kubeadm join: {phase}")


def _payload(machine: Machine) -> PayloadManifest:
    release = machine.files.load(RELEASE_FILE, ImagePayload)
    if release is None:
        raise Problem(code="no-payload", title=f"{RELEASE_FILE} is not there: this image has no Kubernetes.")
    return release.payload
