"""Faults below a disk, as a tiny guest on real QEMU sees them: what it can read and write."""

from __future__ import annotations

import pytest

from tests.vm.labs import Labs
from vm_harness.faults.fault import Target
from vm_harness.faults.table import find
from vm_harness.lab import faults
from vm_harness.machine.media import Medium

pytestmark = [pytest.mark.vm, pytest.mark.timeout(300)]

# A boot sector that five times a second reads a sector of the second disk and writes it (BIOS, int 13h, AH=2 and AH=3,
# DL=81h; the stick is the first disk). After each it prints one of two texts on the serial port: they follow the code.
CODE = (
    "31c08ed88ec0 b80102be447cbf4e7ce81700 b80103be5c7cbf677ce80b00 b9030031d2b486cd15ebdd"
    "bb0080b90200ba8100cd13730289febaf803ac84c07403eeebf8c3"
)
TEXTS = b"read ok, \0read failed, \0write ok\r\n\0write failed\r\n\0"
WORKS, NO_WRITES, NO_READS_OR_WRITES = "read ok, write ok", "read ok, write failed", "read failed, write failed"


@pytest.fixture(scope="module")
def target(labs: Labs, tmp_path_factory: pytest.TempPathFactory) -> Target:
    stick = tmp_path_factory.mktemp("stick") / "guest.img"
    sector = (bytes.fromhex(CODE) + TEXTS).ljust(510, b"\0") + b"\x55\xaa"
    stick.write_bytes(sector.ljust(1 << 20, b"\0"))
    return faults.target(labs.bring_up(iso=stick, medium=Medium.USB), "node0")


def becomes(text: str, target: Target) -> None:
    target.node.wait_for_console_text(text, timeout=60, since=target.node.console.mark())


@pytest.mark.parametrize(("name", "seen"), [("disk-write-errors", NO_WRITES), ("disk-io-errors", NO_READS_OR_WRITES)])
def test_a_disk_has_errors_until_the_fault_ends(name: str, seen: str, target: Target) -> None:
    fault = find(name)
    assert fault.end is not None
    becomes(WORKS, target)
    for _ in range(2):
        fault.begin(target)
        fault.begin(target)
        becomes(seen, target)
        fault.end(target)
        fault.end(target)
        becomes(WORKS, target)


def test_errors_of_reads_end_with_a_power_cut(target: Target) -> None:
    fault = find("disk-io-errors")
    assert fault.end is not None
    fault.begin(target)
    becomes(NO_READS_OR_WRITES, target)
    target.node.crash()
    fault.end(target)
    target.node.start()
    becomes(WORKS, target)
    fault.end(target)
