"""The logs of this host: everything that `collect.sh` finds. The receiver takes secrets out.

`cluster0 gather` runs the same script by SSH.
"""

from __future__ import annotations

from pathlib import Path

from agent.api.client import Client
from agent.api.operations import UPLOAD_LOGS
from agent.machine import Machine

COLLECT = Path(__file__).with_name("collect.sh")

# Each of its commands has 30 s, and few take one.
SECONDS = 600.0


async def gather(machine: Machine, directory: Path) -> Path:
    """An archive in `directory`; a command that failed leaves its error there."""
    archive = directory / "logs.tar.gz"
    await machine.processes.run(["sh", "-c", 'exec sh "$0" >"$1"', str(COLLECT), str(archive)], timeout=SECONDS)
    return archive


async def upload(client: Client, archive: Path, *, cluster_id: str, infra_env_id: str, host_id: str) -> None:
    """Upload a host's archive to node0. Raises what the client raises."""
    query = {"logs_type": "host", "infra_env_id": infra_env_id, "host_id": host_id}
    await client.upload(UPLOAD_LOGS, archive, query=query, cluster_id=cluster_id)
