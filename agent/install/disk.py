"""Carries out a plan, and shows it first."""

from __future__ import annotations

import logging
from collections.abc import Iterable

from agent.install.plan import Action
from agent.machine import Machine

log = logging.getLogger(__name__)


async def carry_out(machine: Machine, actions: Iterable[Action]) -> None:
    """Run the commands in order. Raises `ProcessFailed` of the first that fails; running them all again is safe."""
    for action in actions:
        log.info("%s", action)
        await machine.processes.run(action.argv, timeout=300)
