"""A timeout whose Problem names the work that did not end in time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from agent.model.problems import Problem


@asynccontextmanager
async def deadline(seconds: float, what: str, *, remedy: str = "") -> AsyncIterator[None]:
    """Cancel the body after `seconds` and raise Problem `deadline-missed`.

    `what` names the work and begins the problem's title: "Writing the image". `remedy`: the problem's; empty: none.
    """
    try:
        async with asyncio.timeout(seconds):
            yield
    except TimeoutError as error:
        raise Problem(
            code="deadline-missed", title=f"{what} did not end within {seconds:.0f} s.", remedy=remedy
        ) from error
