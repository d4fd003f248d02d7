"""The install plan is complete before the first write to the disk."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from agent.install.layout import Layout, Part
from agent.install.plan import plan
from agent.install.probe import DiskContent, Found, User, parse_blkid
from agent.model.problems import Problem
from tests.fakes.inputs.intents import CLUSTER_ID

HOST_ID = "5a1f0c9e-6f0e-4a58-9a0a-7d2f1c0b3e99"
LAYOUT = Layout(disk="/dev/vda", cluster_id=CLUSTER_ID, host_id=HOST_ID)
EMPTY = DiskContent(path="/dev/vda", size=32 * 1000**3, found=(Found(path="/dev/vda", is_partition=False),))


def partition(number: int, *, guid: str = "other", content: str = "ext4", label: str = "") -> Found:
    return Found(f"/dev/vda{number}", True, 8 * 1000**3, content, label, guid)


def with_partitions(*partitions: Found) -> DiskContent:
    return replace(EMPTY, found=(*EMPTY.found, *partitions))


def problem_of(content: DiskContent, *, consent: bool = False) -> Problem:
    with pytest.raises(Problem) as caught:
        plan(content, LAYOUT, consent=consent)
    return caught.value


def test_an_empty_disk_is_only_partitioned_and_formatted(golden: Callable[[str, str], None]) -> None:
    golden("install/empty-disk.txt", "".join(f"{action}\n" for action in plan(EMPTY, LAYOUT, consent=False)))


def test_a_disk_with_old_data_is_released_and_wiped_from_the_top(golden: Callable[[str, str], None]) -> None:
    content = replace(
        with_partitions(partition(1, content="vfat"), partition(2, content="LVM2_member", label="data")),
        users=(User("/dev/md127", "raid1"), User("/dev/mapper/vg-root", "lvm")),
    )
    actions = plan(content, LAYOUT, consent=True)
    golden("install/old-data.txt", "".join(f"{action}\n" for action in actions if action.argv[0] != "sgdisk"))


def test_data_of_the_same_install_needs_no_consent() -> None:
    ours = with_partitions(*(partition(n, guid=LAYOUT.guid(part)) for n, part in enumerate(Part, start=1)))
    assert [action.argv[-1] for action in plan(ours, LAYOUT, consent=False) if action.argv[0] == "wipefs"] == [
        "/dev/vda4",
        "/dev/vda3",
        "/dev/vda2",
        "/dev/vda1",
        "/dev/vda",
    ]


@pytest.mark.parametrize(
    "content",
    [
        with_partitions(partition(1, label="photos")),
        with_partitions(partition(1, guid=LAYOUT.guid(Part.BOOT)), partition(5, label="photos")),
        replace(EMPTY, found=(Found(path="/dev/vda", is_partition=False, content="xfs", label="photos"),)),
    ],
)
def test_foreign_data_on_a_disk_is_named_and_needs_consent(content: DiskContent) -> None:
    problem = problem_of(content)
    assert problem.code == "disk-has-data"
    assert "'photos'" in problem.detail
    assert plan(content, LAYOUT, consent=True)


def test_another_hosts_install_is_foreign_data() -> None:
    other = replace(LAYOUT, host_id=CLUSTER_ID)
    assert problem_of(with_partitions(partition(3, guid=other.guid(Part.BOOT)))).code == "disk-has-data"


def test_a_disk_in_use_is_refused_even_with_consent() -> None:
    content = replace(with_partitions(partition(1)), users=(User("/dev/vda1", "part", ("/srv", "[SWAP]")),))
    problem = problem_of(content, consent=True)
    assert problem.code == "disk-in-use"
    assert "/dev/vda1 at /srv, [SWAP]" in problem.title


def test_a_small_disk_is_refused_with_both_sizes() -> None:
    problem = problem_of(replace(EMPTY, size=8 * 1000**3))
    assert problem.code == "disk-too-small"
    assert "8.0 GB" in problem.title
    assert "20.0 GB" in problem.title


@pytest.mark.parametrize(("disk", "path"), [("/dev/sda", "/dev/sda3"), ("/dev/nvme0n1", "/dev/nvme0n1p3")])
def test_partitions_are_named_as_the_kernel_does(disk: str, path: str) -> None:
    assert replace(LAYOUT, disk=disk).device(Part.BOOT) == path


def test_blkid_is_read_by_device() -> None:
    output = "DEVNAME=/dev/vda\nPTTYPE=gpt\n\nDEVNAME=/dev/vda1\nTYPE=ext4\nLABEL=a=b\n"
    assert parse_blkid(output) == {
        "/dev/vda": {"DEVNAME": "/dev/vda", "PTTYPE": "gpt"},
        "/dev/vda1": {"DEVNAME": "/dev/vda1", "TYPE": "ext4", "LABEL": "a=b"},
    }
    assert parse_blkid("") == {}
