"""The kernel's announcements of block devices."""

from __future__ import annotations

import pytest

from vm_harness.container.uevents import BlockEvent, parse

PARTITION = (
    b"add@/devices/virtual/block/loop2/loop2p2\0ACTION=add\0DEVPATH=/devices/virtual/block/loop2/loop2p2\0"
    b"SUBSYSTEM=block\0MAJOR=259\0MINOR=4\0DEVNAME=loop2p2\0DEVTYPE=partition\0DISKSEQ=277\0PARTN=2\0SEQNUM=4739\0"
)
"""Recorded from a kernel 6.18."""


def test_a_new_partition_is_an_event_with_its_name() -> None:
    assert parse(PARTITION) == BlockEvent("add", "loop2p2")


@pytest.mark.parametrize(
    "message", [b"", b"\xff\xfe\0=\0", b"add@/devices/x\0ACTION=add\0SUBSYSTEM=net\0DEVNAME=eth0\0", PARTITION[:60]]
)
def test_other_messages_are_no_events_of_block_devices(message: bytes) -> None:
    assert parse(message) is None
