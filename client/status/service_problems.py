"""Why node0's service does not run: what it has written for node0's consoles, read by SSH."""

from __future__ import annotations

import shlex

import msgspec

from agent.model.host_documents import ClusterStatusFile
from agent.model.host_paths import CLUSTER_STATUS_FILE
from agent.model.problems import Problem, ProblemReport
from client.remote.ssh import Login, run_script

MAX_BYTES = 1 << 18
SECONDS = 20.0


async def service_problems(login: Login, address: str) -> tuple[ProblemReport, ...]:
    """Empty when the service has named none, and without a login on node0: its consoles show them too."""
    try:
        content = await run_script(
            login, address, f"head -c {MAX_BYTES} {shlex.quote(CLUSTER_STATUS_FILE)}", timeout=SECONDS
        )
        return msgspec.json.decode(content, type=ClusterStatusFile).problems
    except (Problem, msgspec.DecodeError):
        return ()
