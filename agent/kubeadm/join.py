"""`cluster0-agent` on an installed host that is not a node yet: fetch a credential from node0, run `kubeadm join`.

It is repeated with a fresh credential, after a failure and after a power cut, until it has ended well once.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence

from agent.api.client import Client
from agent.api.join import JoinCredential
from agent.kubeadm import done, kubelet_environment, leftovers
from agent.kubeadm.join_config import discovery_kubeconfig, render
from agent.kubeadm.join_control_plane import ADMIN_KUBECONFIG, CONFIG_FILE, ETCD_CONFIG_FILE, ControlPlane
from agent.kubeadm.kinds import KUBELET_KUBECONFIG, PKI
from agent.kubeadm.node0 import Node0, Say
from agent.kubeadm.program import kubeadm_join, payload_of
from agent.machine import Machine
from agent.machine.deadline import deadline
from agent.model.host_documents import Installed
from agent.model.payload import KubeadmApi
from agent.model.problems import Problem

log = logging.getLogger(__name__)

DISCOVERY_FILE = "/run/cluster0/kubeadm-discovery.conf"
# On the state file system, so of this installation: this host has joined.
DONE_FILE = "/var/lib/cluster0/joined"

# Every second attempt continues where the one before gave up; the others start over.
ATTEMPTS = 6
JOIN_SECONDS = 1800.0


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
    node0 = Node0(client, installed, machine.clock, say)
    for attempt in range(1, ATTEMPTS + 1):
        credential = await node0.credential()
        try:
            async with deadline(JOIN_SECONDS, "kubeadm join"):
                await _join_once(machine, credential, node0, attempt)
                for unit in node_units:
                    await machine.processes.run(["systemctl", "start", unit], timeout=120)
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


async def _join_once(machine: Machine, credential: JoinCredential, node0: Node0, attempt: int) -> None:
    control_plane = ControlPlane(machine, credential, node0) if credential.is_control_plane else None
    has_voted = control_plane is not None and await control_plane.may_vote()
    goes_on = has_voted or (attempt % 2 == 0 and await _has_begun(machine, control_plane))
    if not goes_on:
        # A control plane's etcd data stay: they are those of a member that the others may know already.
        await leftovers.clean(machine, leftovers.WRITTEN)
        for path, content in credential.control_plane_files.items():
            machine.files.write(f"{PKI}/{path}", content, mode=0o600)
        kubelet_environment.write(machine)
    try:
        _write_configuration(machine, credential, is_patient=attempt > 1)
        await machine.processes.run(["systemctl", "start", "containerd.service"], timeout=120)
        if control_plane is None:
            await kubeadm_join(machine, node0.say, f"--config={CONFIG_FILE}", "--skip-phases=preflight")
        elif has_voted:
            await control_plane.finish()
        else:
            await control_plane.join(goes_on=goes_on)
    finally:
        for path in (CONFIG_FILE, ETCD_CONFIG_FILE, DISCOVERY_FILE):
            machine.files.at(path).unlink(missing_ok=True)


def _write_configuration(machine: Machine, credential: JoinCredential, *, is_patient: bool) -> None:
    payload = payload_of(machine)
    machine.files.write(DISCOVERY_FILE, discovery_kubeconfig(credential), mode=0o600)
    # The token has been used up when a control plane enters etcd.
    for path, token, discovery in (
        (CONFIG_FILE, credential.token, DISCOVERY_FILE),
        (ETCD_CONFIG_FILE, "", ADMIN_KUBECONFIG),
    ):
        config = render(
            credential,
            payload.kubeadm_api,
            pause=payload.pause,
            token=token,
            discovery_file=discovery,
            is_patient=is_patient,
        )
        machine.files.write(path, config, mode=0o600)


async def _has_begun(machine: Machine, control_plane: ControlPlane | None) -> bool:
    """kubeadm gave up at one of its short requests after the kubelet had its certificate: it only needs more time.

    From 1.31 on its phases have other names and another order: there every try starts over.
    """
    payload = payload_of(machine)
    if not machine.files.at(KUBELET_KUBECONFIG).exists() or payload.kubeadm_api is KubeadmApi.V1BETA4:
        return False
    return control_plane is None or await control_plane.is_known()
