"""A whole site at once: every host finds its own address by MAC, and node0 knows all of them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from agent.model.host_documents import HostMatch, NetworkReport
from agent.model.host_paths import HOST_FILE, NETWORK_FILE
from tests.fakes.inputs.intents import NETWORK
from tests.fakes.network.many_hosts import all_registered, powered_on

pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(os.geteuid() != 0, reason="namespaces need root"),
]


@pytest.mark.parametrize(
    "count",
    [
        pytest.param(5, id="5-hosts"),
        pytest.param(30, id="30-hosts", marks=[pytest.mark.slow, pytest.mark.timeout(600)]),
    ],
)
def test_every_host_gets_its_address_and_registers(count: int, tmp_path: Path) -> None:
    with powered_on(tmp_path, count) as files:
        for number, own in enumerate(files, 1):
            assert (own.load(HOST_FILE, HostMatch) or HostMatch(index=-1, why="")).index == number - 1
            report = own.load(NETWORK_FILE, NetworkReport) or NetworkReport()
            assert f"{NETWORK}.{9 + number}/24" in [address for nic in report.devices for address in nic.addresses]
        cluster = all_registered(files)
        assert {line.name for line in cluster.hosts} == {f"host{number}" for number in range(1, count + 1)}
