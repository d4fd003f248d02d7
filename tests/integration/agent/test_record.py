"""A record has the machine's network, what is on its disks, and what the other hosts look like from it."""

from __future__ import annotations

import asyncio
import dataclasses
import os
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import msgspec
import pytest

from agent.machine import BlockDevice, Machine
from agent.model.host_paths import INTENT_FILE
from agent.record.machine import MachineRecord, record
from tests.fakes.agent.machine import ScriptedUdev
from tests.fakes.inputs.intents import NETWORK, host, intent, mac
from tests.fakes.network.network_host import NetworkHost, network_host, network_switch
from tests.fakes.system.loop_disk import loop_disk

pytestmark = [pytest.mark.integration, pytest.mark.skipif(os.geteuid() != 0, reason="namespaces and disks need root")]


@pytest.fixture
def hosts() -> Iterator[tuple[NetworkHost, ...]]:
    """host1 and host2 of an ISO made for three, with the network of the inputs; host3 is not there."""
    with ExitStack() as stack:
        switch = stack.enter_context(network_switch())
        found = tuple(stack.enter_context(network_host(switch_pid=switch)) for _ in range(2))
        for number, made in enumerate(found, 1):
            made.at(INTENT_FILE).parent.mkdir(parents=True)
            made.at(INTENT_FILE).write_bytes(msgspec.json.encode(intent(host(1), host(2), host(3))))
            made.plug_nic("enp1s0", mac(number))
            assert made.agent("network").returncode == 0
            stack.enter_context(made.network_manager())
            assert made.agent("network-verify").returncode == 0
        yield found


def test_a_record_has_the_network_and_how_the_other_hosts_are_reached(hosts: tuple[NetworkHost, ...]) -> None:
    recorded = hosts[0].agent("--record")
    assert recorded.returncode == 0, recorded.stderr
    found = msgspec.json.decode(recorded.stdout, type=MachineRecord)
    assert found.network is not None and found.network.devices is not None and found.connectivity is not None
    assert {(link.name, link.mac) for link in found.network.links} >= {("enp1s0", mac(1))}
    assert [address.address for address in found.network.addresses] == [f"{NETWORK}.10/24"]
    assert f"{NETWORK}.1" in {route.gateway for route in found.network.routes if not route.destination}
    assert "enp1s0" in {device.interface for device in found.network.devices if device.active_uuid}
    assert [known.peer.host_id for known in found.peers] == ["host2", "host3"]
    reached = {seen.host_id: seen.l3_connectivity[0].successful for seen in found.connectivity.remote_hosts}
    assert reached == {"host2": True, "host3": False}


@pytest.fixture
def partition(tmp_path: Path) -> Iterator[str]:
    """A partition of a loop device; it stands for a disk."""
    with loop_disk(tmp_path, 64 << 20) as loop:
        subprocess.run(["sgdisk", "--new=1:0:0", loop], check=True, capture_output=True)
        subprocess.run(["partx", "--update", loop], check=True)
        yield f"{loop}p1"


def test_a_record_has_the_content_of_each_disk_that_answers(
    partition: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DBUS_SYSTEM_BUS_ADDRESS", f"unix:path={tmp_path}/no-bus")
    subprocess.run(["mkfs.ext4", "-q", "-L", "backup", partition], check=True)
    names = (Path(partition).name, "sdzz")
    udev = ScriptedUdev(*(BlockDevice(name=name, properties={}, links=(), partitions=()) for name in names))
    found = asyncio.run(record(dataclasses.replace(Machine(), udev=udev)))
    assert tuple(disk.name for disk in found.inventory.disks) == names
    assert found.contents is not None
    (content,) = found.contents
    assert [(item.path, item.content, item.label) for item in content.found] == [(partition, "ext4", "backup")]
