"""Step *logs-gather*: upload this host's logs to node0 after a failed install."""

from __future__ import annotations

import tempfile
from pathlib import Path

from agent.api.steps import Step
from agent.logs import gather
from agent.steps.context import Context


async def run(context: Context, step: Step) -> str:
    """The argument names this host and its cluster, which the host knows itself."""
    with tempfile.TemporaryDirectory(prefix="cluster0-logs-") as directory:
        await context.upload_logs(await gather(context.machine, Path(directory)))
    return ""
