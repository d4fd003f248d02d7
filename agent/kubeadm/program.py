"""`kubeadm join` as a program, and the release of Kubernetes that it is of."""

from __future__ import annotations

import logging
import re

from agent.kubeadm.node0 import Say
from agent.machine import Machine
from agent.model.host_documents import ImagePayload
from agent.model.host_paths import RELEASE_FILE
from agent.model.payload import PayloadManifest
from agent.model.problems import Problem

log = logging.getLogger(__name__)

_PHASE = re.compile(r"\[([a-z0-9/-]+)\]")  # "[kubelet-start] Starting the kubelet"


async def kubeadm_join(machine: Machine, say: Say, *arguments: str) -> None:
    """Run it. say: called with each phase. Raises `ProcessFailed`."""
    phase = ""
    async for line in machine.processes.lines(["kubeadm", "join", *arguments]):
        log.info("%s", line)
        found = _PHASE.match(line)
        if found and found[1] != phase:
            phase = found[1]
            await say(f"kubeadm join: {phase}")


def payload_of(machine: Machine) -> PayloadManifest:
    """Raises Problem `no-payload`."""
    release = machine.files.load(RELEASE_FILE, ImagePayload)
    if release is None:
        raise Problem(code="no-payload", title=f"{RELEASE_FILE} is not there: this image has no Kubernetes.")
    return release.payload
