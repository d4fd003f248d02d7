"""node0's real programs as tests start them: every warning is an error."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager

from replay import programs
from replay.programs import Service
from replay.site import Site

STRICT = (sys.executable, "-W", "error")


def serving(
    site: Site, *options: str, port: int = 0, prefix: Sequence[str] = ()
) -> AbstractAsyncContextManager[Service]:
    """`prefix`: a command that starts it by exec."""
    return programs.serving(site, *options, port=port, python=(*prefix, *STRICT))


def driving(service: Service) -> AbstractAsyncContextManager[None]:
    return programs.driving(service, python=STRICT)


async def node0(site: Site, *arguments: str, stderr: int | None = None) -> asyncio.subprocess.Process:
    return await programs.node0(site, *arguments, stderr=stderr, python=STRICT)
