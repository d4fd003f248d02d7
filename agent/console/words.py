"""The lines of the consoles. Tests and users with a serial log search for them, so their form is a contract:

cluster0: HOST: PHASE[: DETAIL]
cluster0: HOST: address ADDRESS
cluster0: HOST: this is node0
cluster0: HOST: node0 is to be HOST (MAC)[ or HOST (MAC) ..., by DHCP], with the address ADDRESS
cluster0: HOST: problem CODE: TITLE        followed by its detail and remedy, one line each, indented
cluster0: cluster NAME: STATUS[: INFO]
cluster0: cluster NAME: host HOST: STATUS[: DETAIL]
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from agent.console.view import View
from agent.model.host_documents import AgentPhase, AgentStatus, ClusterStatusFile
from agent.model.host_paths import NODE0_DONE_FILE
from agent.model.printable import printable
from agent.model.problems import ProblemReport

WHAT_TO_DO = {
    AgentPhase.UNCONFIGURED: "This image holds no cluster yet. On your computer, run: cluster0 create image --dir DIR\n"
    "and boot this machine from the agent.x86_64.iso it writes. No disk is touched until then.",
    AgentPhase.ALREADY_INSTALLED: "This host is installed, and was booted from the installation medium again. It\n"
    "starts its disk now, and writes nothing to it.",
    AgentPhase.WAITING_FOR_NODE0: "Boot the host that has the rendezvous address, and connect it to the same network.\n"
    "This host continues by itself as soon as node0 answers. Its service ends some time after the install; on node0,\n"
    f"sudo rm {NODE0_DONE_FILE}; sudo systemctl start cluster0-node0.target\n"
    "starts it again.",
    AgentPhase.REGISTERED: "Nothing to do here: the install starts by itself when every host has passed its checks.",
    AgentPhase.INSTALLING: "Nothing to do here. If power goes now, boot from the same medium: the install starts over.",
    AgentPhase.REBOOTING: "Nothing to do here: this host boots from its disk now.",
    AgentPhase.INSTALLED: "This host belongs to the cluster. The installation medium can be removed.",
    AgentPhase.FAILED: "Correct what is named above, then boot this host from the installation medium again.",
}


def lines(view: View) -> Iterator[str]:
    """Everything about `view`, a line each; the caller leaves out lines that it has shown before."""
    yield from map(printable, _lines(view))


def _lines(view: View) -> Iterator[str]:
    for problem in view.problems:
        yield from _problem(view.hostname, problem)
    if view.status is not None:
        yield from _status(view.hostname, view.status)
    if view.cluster is not None:
        yield from _cluster(view.cluster)


def _status(hostname: str, status: AgentStatus) -> Iterator[str]:
    for address in status.addresses:
        yield f"cluster0: {hostname}: address {address}"
    if status.is_node0:
        yield f"cluster0: {hostname}: this is node0"
    elif status.phase is AgentPhase.WAITING_FOR_NODE0:
        yield f"cluster0: {hostname}: node0 is to be {status.node0}, with the address {status.rendezvous_ip}"
    yield _line(f"cluster0: {hostname}: {status.phase}", status.detail)


def _cluster(cluster: ClusterStatusFile) -> Iterator[str]:
    yield _line(f"cluster0: cluster {cluster.name}: {cluster.status}", cluster.status_info)
    for host in cluster.hosts:
        yield _line(f"cluster0: cluster {cluster.name}: host {host.name}: {host.status}", host.detail)


def _problem(hostname: str, problem: ProblemReport) -> Iterator[str]:
    yield f"cluster0: {hostname}: problem {problem.code}: {problem.title}"
    for line in (*problem.detail.splitlines(), *problem.remedy.splitlines()):
        yield f"cluster0: {hostname}:     {line}"


def _line(subject: str, detail: str) -> str:
    """One line. Percentages count in tens: a serial log is no progress bar."""
    coarse = re.sub(r"(\d{1,3})%", lambda match: f"{int(match[1]) // 10 * 10}%", " ".join(detail.split()))
    return f"{subject}: {coarse}" if coarse else subject
