"""When the driver begins: on the host with the rendezvous address, once it has that address."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from agent.machine import Address
from node0.create_cluster.driver import create_cluster
from replay.site import RENDEZVOUS, make_site
from tests.fakes.agent.machine import ScriptedKernel, ScriptedNetlink, machine_in

SECONDS = 20


async def test_the_driver_calls_nothing_before_the_rendezvous_address_is_here(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    make_site(tmp_path / "root")
    machine = machine_in(tmp_path)
    assert isinstance(machine.kernel, ScriptedKernel)
    assert isinstance(machine.netlink, ScriptedNetlink)
    driver = asyncio.create_task(create_cluster(machine))
    try:
        machine.netlink.set_addresses(Address("eth0", "192.0.2.7/24"))
        for _ in range(100):
            await asyncio.sleep(0)
        assert caplog.messages == []
        machine.kernel.addresses = {RENDEZVOUS}
        machine.netlink.set_addresses(Address("eth0", f"{RENDEZVOUS}/8"))
        async with asyncio.timeout(SECONDS):
            while not caplog.messages:  # noqa: ASYNC110 - the log has no event
                await asyncio.sleep(0.01)
        assert caplog.messages[0].startswith(f"No answer from https://{RENDEZVOUS}:8090")
    finally:
        driver.cancel()
        await asyncio.wait({driver})
