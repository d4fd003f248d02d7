"""kubeadm: its inputs on the state file system, its run, and the cleanup after an interrupted run."""

from __future__ import annotations

import logging
import re
from collections.abc import Awaitable, Callable, Sequence

from agent.kubeadm import done, kubelet_environment, leftovers, static_pod_patches
from agent.kubeadm.kinds import PKI
from agent.machine import Machine, ProcessFailed
from agent.model.host_paths import NODE0_DIRECTORY
from agent.model.payload import PayloadManifest
from agent.model.problems import Problem
from node0.bootstrap.facts import BootstrapFacts
from node0.bootstrap.kubeadm import render

log = logging.getLogger(__name__)

CONFIG_FILE = "/run/cluster0/kubeadm.yaml"
ADMIN_KUBECONFIG = "/etc/kubernetes/admin.conf"
# Marks a `kubeadm init` that succeeded: it never runs twice on the same state file system.
DONE_FILE = "/var/lib/cluster0/kubeadm-init.done"

ATTEMPTS = 4
# kubeadm's phases before it waits for the control plane.
UNTIL_HEALTHY = ("certs", "kubeconfig", "kubelet-start", "control-plane", "etcd")

# The longest phase. The kubelet has its kubeconfig by then.
WAITS = "wait-control-plane"

# The end of that wait, as kubeadm prints it up to 1.29 and since.
_HEALTHY = re.compile(r"\[(apiclient|api-check|control-plane-check)\] .*healthy after")
_PHASE = re.compile(r"\[([a-z0-9/-]+)\]")  # "[certs] Generating …"


def is_done(machine: Machine) -> bool:
    return machine.files.at(DONE_FILE).exists()


async def clean(machine: Machine) -> None:
    """Remove what an interrupted init has left, including its etcd: there was no cluster yet."""
    await leftovers.clean(machine, (*leftovers.WRITTEN, leftovers.ETCD))


def write_pki(machine: Machine) -> None:
    """Put the CAs that `create image` made where kubeadm looks for them; it signs all other certificates with them."""
    source = machine.files.at(f"{NODE0_DIRECTORY}/pki")
    for path in sorted(source.rglob("*")):
        if path.is_file():
            machine.files.write(f"{PKI}/{path.relative_to(source)}", path.read_bytes(), mode=0o600)


async def init(machine: Machine, facts: BootstrapFacts, progress: Callable[[str], Awaitable[None]]) -> None:
    """Run `kubeadm init`; calls `progress` with the name of every phase. Raises Problem `kubeadm-init-failed`.

    Once the control plane is healthy, kubeadm fails if one of its requests takes more than 10 s, as on a slow machine.
    The later phases can be repeated, so init runs again from there.
    """
    kubelet_environment.write(machine)
    static_pod_patches.prepare(machine, facts.payload.kubernetes_version)
    machine.files.write(CONFIG_FILE, render(facts.first_node, facts.payload.kubeadm_api), mode=0o600)
    transcript = Transcript(progress)
    done_before: tuple[str, ...] = ()
    for attempt in range(1, ATTEMPTS + 1):
        try:
            async for line in machine.processes.lines(init_argv(facts.payload, done_before)):
                await transcript.add(line)
            break
        except ProcessFailed as failure:
            if attempt == ATTEMPTS or not transcript.is_healthy:
                raise Problem(
                    code="kubeadm-init-failed",
                    title=f"kubeadm init failed in its phase {transcript.phase} on {facts.node_name}.",
                    detail=failure.detail,
                    remedy="See /var/log/pods and the journal of kubelet.service on this host.",
                ) from failure
            log.warning("kubeadm init failed in its phase %s: trying again from there", transcript.phase)
            done_before = UNTIL_HEALTHY
    await done.mark(machine, DONE_FILE)


class Transcript:
    """kubeadm's output so far. `phase`: the current one. `is_healthy`: the control plane has come up."""

    def __init__(self, progress: Callable[[str], Awaitable[None]]) -> None:
        self._progress = progress
        self.phase = "start"
        self.is_healthy = False

    async def add(self, line: str) -> None:
        log.info("%s", line)
        self.is_healthy = self.is_healthy or _HEALTHY.match(line) is not None
        found = _PHASE.match(line)
        if found and found[1] != self.phase:
            self.phase = found[1]
            await self._progress(self.phase)


def init_argv(payload: PayloadManifest, done_before: Sequence[str] = ()) -> list[str]:
    """`done_before`: phases of an earlier attempt."""
    # Our validations replace the preflight, which requires crictl. Tokens are created when a host joins.
    skipped = ["preflight", *done_before, *([] if payload.coredns else ["addon/coredns"])]
    return [
        "kubeadm",
        "init",
        f"--config={CONFIG_FILE}",
        f"--skip-phases={','.join(skipped)}",
        "--skip-token-print",
        *static_pod_patches.on_command_line(payload.kubeadm_api),
    ]
