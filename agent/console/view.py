"""Everything that the console shows, read from the files that our other programs write."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from agent.machine import Machine
from agent.model.host_documents import AgentStatus, ClusterStatusFile, HostMatch, ImageVersion, NetworkReport
from agent.model.host_paths import CLUSTER_STATUS_FILE, HOST_FILE, NETWORK_FILE, RELEASE_FILE, STATUS_FILE
from agent.model.problems import ProblemReport

DIRECTORY = Path(STATUS_FILE).parent


@dataclass(frozen=True)
class View:
    """None: not written yet. `hostname` is the kernel's."""

    hostname: str = ""
    version: str = ""
    match: HostMatch | None = None
    network: NetworkReport | None = None
    status: AgentStatus | None = None
    cluster: ClusterStatusFile | None = None

    @property
    def problems(self) -> tuple[ProblemReport, ...]:
        """Every problem of this host: match, network, agent, node0's service, and address conflicts last."""
        conflicts = self.status.conflicts if self.status else ()
        parts = (self.match, self.network, self.status, self.cluster)
        return (*(problem for part in parts if part for problem in part.problems), *conflicts)


def read(machine: Machine) -> View:
    """The files of this host; without the cluster's status if it is not node0 any more: that would be out of date."""
    files = machine.files
    status = files.load(STATUS_FILE, AgentStatus)
    return View(
        hostname=machine.kernel.hostname(),
        version=(files.load(RELEASE_FILE, ImageVersion) or ImageVersion()).version,
        match=files.load(HOST_FILE, HostMatch),
        network=files.load(NETWORK_FILE, NetworkReport),
        status=status,
        cluster=files.load(CLUSTER_STATUS_FILE, ClusterStatusFile) if status and status.is_node0 else None,
    )
