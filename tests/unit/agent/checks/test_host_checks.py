"""The checks that a host runs on itself: image store, disk speed, domain names, user checks, boot medium."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import msgspec
import pytest

from agent.api.checks import Domain
from agent.checks import disk_speed, images, medium, user
from agent.checks.domains import resolve
from agent.machine import Machine
from agent.model.host_documents import HostMatch
from agent.model.host_paths import HOST_FILE, RELEASE_FILE, USER_CHECKS_DIRECTORY
from agent.model.problems import Problem
from agent.model.states import ValidationStatus
from tests.fakes.agent.machine import Programs, machine_in
from tests.fakes.inputs.intents import intent

PAUSE, ETCD = "registry.k8s.io/pause:3.9", "registry.k8s.io/etcd:3.5.1"


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return machine_in(tmp_path)


def write_image_store(machine: Machine, *names: str) -> None:
    """Writes a release that names both images, and an image store that has `names`."""
    release = {"payload": {"images": [{"reference": PAUSE}, {"reference": ETCD}]}}
    machine.files.write(RELEASE_FILE, msgspec.json.encode(release))
    machine.files.write(images.DATABASE, b"\0bolt\0".join(name.encode() for name in names))
    machine.files.at(f"{images.SNAPSHOTS}/1").mkdir(parents=True)


def test_every_image_of_the_release_is_looked_for(machine: Machine) -> None:
    write_image_store(machine, PAUSE)
    assert {status.name: status.result for status in images.images(machine)} == {PAUSE: "success", ETCD: "failure"}
    assert [status.result for status in images.images(machine, [PAUSE])] == ["success"]


def test_an_image_store_without_snapshots_has_no_image(machine: Machine) -> None:
    write_image_store(machine, PAUSE, ETCD)
    machine.files.at(f"{images.SNAPSHOTS}/1").rmdir()
    assert {status.result for status in images.images(machine)} == {"failure"}


def test_a_missing_image_store_is_an_error(machine: Machine) -> None:
    machine.files.write(RELEASE_FILE, msgspec.json.encode({"payload": {"images": [{"reference": PAUSE}]}}))
    with pytest.raises(OSError, match=r"meta\.db"):
        images.images(machine)


def test_measuring_a_disk_leaves_it_as_it_was(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    content = os.urandom(disk_speed.FIRST_BYTE + 50 * disk_speed.BLOCK)
    disk.write_bytes(content)
    assert 0 < disk_speed.measure(disk, threading.Event()) < 10_000
    assert disk.read_bytes()[: len(content)] == content


def test_a_disk_that_fails_while_it_is_measured_is_a_problem() -> None:
    """The kernel's own device for failing writes."""
    with pytest.raises(Problem, match="/dev/full failed while it was measured: No space left") as caught:
        disk_speed.measure(Path("/dev/full"), threading.Event())
    assert caught.value.code == "disk-full"


def test_a_stopped_disk_measurement_ends_its_process(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.write_bytes(bytes(2 * disk_speed.FIRST_BYTE))
    stop = threading.Event()
    stop.set()
    assert disk_speed.measure(disk, stop) == 0


def test_measuring_a_missing_disk_names_it(tmp_path: Path) -> None:
    with pytest.raises(Problem, match=r"/disk cannot be measured: No such file") as caught:
        disk_speed.measure(tmp_path / "disk", threading.Event())
    assert caught.value.code == "disk-not-writable"


@pytest.mark.parametrize(
    ("durations", "milliseconds"), [([], 0), ([0.001] * 99 + [5.0], 1), ([0.001] * 98 + [0.0021] * 2, 3)]
)
def test_the_disk_speed_ignores_the_slowest_write_of_a_hundred(durations: list[float], milliseconds: int) -> None:
    assert disk_speed.percentile(durations) == milliseconds


async def test_the_cluster_names_are_resolved_by_the_hosts_own_resolver() -> None:
    """Runs the real getent."""
    found, missing = await resolve(Machine(), [Domain(domain_name="localhost"), Domain(domain_name="unknown.invalid.")])
    assert {"127.0.0.1", "::1"} & {*found.ipv4_addresses, *found.ipv6_addresses}
    assert (missing.ipv4_addresses, missing.ipv6_addresses) == ((), ())


def put_check(machine: Machine, name: str, script: str) -> None:
    machine.files.write(f"{USER_CHECKS_DIRECTORY}/{name}", f"#!/bin/sh\n{script}\n", mode=0o755)


async def test_a_users_checks_get_the_inventory_and_report_results(machine: Machine) -> None:
    result = '{"status": "failure", "message": "No asset tag.", "remedy": "Stick one on."}'
    put_check(machine, "asset-tag", f"grep -q '\"hostname\":\"host7\"' && echo '{result}'")
    put_check(machine, "broken", "echo not json")
    put_check(machine, "crashing", "echo the last line >&2; exit 3")
    machine.kernel.set_hostname("host7")
    machine.files.write(f"{USER_CHECKS_DIRECTORY}/README", "not an executable")
    put_check(machine, "unsure", """echo '{"status": "pending", "message": "Later."}'""")
    tag, broken, crashing, unsure = await user.run_all(machine, intent())
    assert (tag.id, tag.status, tag.message) == ("asset-tag", ValidationStatus.FAILURE, "No asset tag.")
    assert {broken.status, crashing.status, unsure.status} == {ValidationStatus.ERROR}
    assert "did not print a result" in broken.message
    assert "the last line" in crashing.message
    assert "user-crashing" in crashing.remedy


async def test_a_user_check_knows_its_host_and_may_report_without_gating(machine: Machine) -> None:
    result = '{"status": "failure", "message": "Warm.", "gates": false}'
    put_check(machine, "warm", f'grep -q \'"host":{{"hostname":"host1"\' && echo \'{result}\'')
    machine.files.save(HOST_FILE, HostMatch(index=0, why="by its MACs"))
    (warm,) = await user.run_all(machine, intent())
    assert (warm.status, warm.gates) == (ValidationStatus.FAILURE, False)


async def test_a_user_check_that_hangs_is_ended_with_its_children(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(user, "SECONDS", 0.5)
    put_check(machine, "hangs", "sleep 600 & wait")
    (hangs,) = await user.run_all(machine, intent())
    assert hangs.status is ValidationStatus.ERROR
    assert "no end after 0.5 s" in hangs.message


async def test_without_a_checks_directory_there_are_no_user_checks(machine: Machine) -> None:
    assert await user.run_all(machine, intent()) == ()


def test_the_boot_medium_is_read_where_one_is_mounted(machine: Machine) -> None:
    assert medium.is_readable(machine), "nothing is mounted: nothing to read"
    machine.files.write("/proc/self/mountinfo", "31 1 11:0 / /run/cluster0/medium ro - iso9660 /dev/sr0 ro\n")
    assert not medium.is_readable(machine), "the device does not exist"
    machine.files.write("/dev/sr0", bytes(medium.DESCRIPTOR + medium.BYTES - 1))
    assert not medium.is_readable(machine), "the medium is truncated"
    machine.files.write("/dev/sr0", bytes(medium.DESCRIPTOR + medium.BYTES))
    assert medium.is_readable(machine)
    machine.files.write("/proc/self/mountinfo", "31 1 0:40 / /run/cluster0/medium ro - tmpfs tmpfs ro\n")
    assert medium.is_readable(machine), "the medium is in memory"


def test_a_name_lookup_that_hangs_ends_at_its_deadline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import asyncio

    machine = machine_in(tmp_path)
    Programs(tmp_path / "bin").add("getent", "exec sleep 60")
    monkeypatch.setattr("agent.checks.domains.SECONDS", 0.1)
    (found,) = asyncio.run(resolve(machine, [Domain(domain_name="api.example")]))
    assert found.ipv4_addresses == ()
