"""Writes keepalived's configuration on a control plane; the unit starts where the file is."""

from __future__ import annotations

import asyncio
import logging

from agent.machine import Machine
from agent.model.intent import ClusterIntent
from agent.model.problems import Problem
from agent.vip.config import CONFIG_FILE, find_place, has_vip, render

log = logging.getLogger(__name__)


async def configure(machine: Machine, intent: ClusterIntent) -> None:
    """Nothing to do without a virtual address. Raises Problem `vip-not-on-link`."""
    if not has_vip(intent):
        return
    own = await asyncio.to_thread(machine.netlink.addresses)
    place = find_place(intent, own)
    if place is None:
        raise Problem(
            code="vip-not-on-link",
            title=f"This host has no address on the network of the API's virtual address {intent.api_address}.",
            detail="\n".join(f"{each.interface}  {each.address}" for each in own) or "It has no addresses at all.",
            remedy="Give every control-plane host an address in the machine network of apiVIPs.",
        )
    machine.files.write(CONFIG_FILE, render(intent, place, machine.kernel.hostname()))
    log.info("%s is carried on %s", intent.api_address, place.interface)
