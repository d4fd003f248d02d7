"""The probes of KVM, with stand-ins for QEMU that end, hang or print as a real one does; and remembered verdicts."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from vm_harness.machine.accel import Verdict
from vm_harness.machine.probe import boot_sector, live_system, verdicts
from vm_harness.machine.probe.live_system import LiveSystem, shows_notices
from vm_harness.machine.probe.verdicts import MAX_REMEMBERED, Subject, Verdicts

SUBJECT = Subject("6.1.0 #1", "boot", "/usr/bin/qemu 1", "digest")
NO = Verdict(False, "no")
# As QEMU 7.2 prints it on standard error when KVM cannot emulate an instruction; the guest then stops.
INTERNAL_ERROR = "KVM internal error. Suberror: 1"
INITRD_LINE = r"[\033[0;32m  OK  \033[0m] Reached target \033[0;1;39minitrd.target\033[0m - Initrd Default Target."


def stand_in(directory: Path, script: str) -> Path:
    qemu = directory / "qemu"
    qemu.write_text(f"#!/bin/sh\n{script}\n")
    qemu.chmod(0o755)
    return qemu


@pytest.fixture
def live(tmp_path: Path) -> LiveSystem:
    return LiveSystem(tmp_path / "vmlinuz", tmp_path / "initrd.img", "digest", True)


def test_kvm_works_for_a_boot_sector_that_reaches_long_mode(tmp_path: Path) -> None:
    assert boot_sector.boot(stand_in(tmp_path, f"exit {boot_sector.REACHED_LONG_MODE}")).kvm_works


def test_kvm_does_not_work_where_qemu_ends_early_and_the_reason_has_its_message(tmp_path: Path) -> None:
    verdict = boot_sector.boot(stand_in(tmp_path, "echo 'failed to set MSR 0x10a' >&2; exit 1"))
    assert not verdict.kvm_works
    assert "QEMU ended with 1 (failed to set MSR 0x10a)" in verdict.reason


def test_kvm_works_for_a_kernel_that_reaches_initrd_target(tmp_path: Path, live: LiveSystem) -> None:
    verdict = live_system.boot(stand_in(tmp_path, f"printf '{INITRD_LINE}\\n'; exec sleep 100"), live)
    assert verdict.kvm_works, verdict


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        (f"echo '{INTERNAL_ERROR}' >&2; exec sleep 100", INTERNAL_ERROR),
        ("echo 'Kernel panic - not syncing'; exit 0", r"QEMU ended with 0 \(Kernel panic - not syncing\)"),
        ("exit 1", r"QEMU ended with 1 \(it printed nothing\)"),
        ("echo '[    0.000000] Linux version 6.12'; exec sleep 100", r"within 1 s \(.* Linux version 6\.12\)"),
        ("exec sleep 100", r"within 1 s \(it printed nothing\)"),
        ("while :; do echo on and on; done", r"within 1 s \(on and on\)"),
    ],
)
def test_kvm_does_not_work_for_a_kernel_that_fails_or_hangs(
    script: str, reason: str, tmp_path: Path, live: LiveSystem, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_system, "DEADLINE_SECONDS", 1.0)
    verdict = live_system.boot(stand_in(tmp_path, script), live)
    assert not verdict.kvm_works
    assert re.search(reason, verdict.reason), verdict.reason


@pytest.mark.parametrize(
    ("arguments", "prints"),
    [
        ("console=tty0 console=ttyS0,115200n8 loglevel=6 panic=10", True),
        ("console=ttyS0 loglevel=6 loglevel=3", False),
        ("console=ttyS0 loglevel=4", False),
        ("console=ttyS0", False),
        ("console=tty0 loglevel=7", False),
        ("console=ttyS0 loglevel=6 quiet", False),
    ],
)
def test_a_kernel_shows_its_first_lines_if_loglevel_and_console_allow_it(arguments: str, prints: bool) -> None:
    assert shows_notices(f"linux /live/vmlinuz {arguments}\n") is prints


@pytest.mark.skipif(not shutil.which("xorriso"), reason="needs xorriso")
def test_only_an_iso_of_ours_has_a_live_system(tmp_path: Path) -> None:
    tree, iso = tmp_path / "tree", tmp_path / "live.iso"
    for inside in live_system.FILES.values():
        (tree / inside.lstrip("/")).parent.mkdir(parents=True, exist_ok=True)
        (tree / inside.lstrip("/")).write_text(f"console=ttyS0 loglevel=6 {inside}")
    subprocess.run(["xorriso", "-as", "mkisofs", "-quiet", "-r", "-o", iso, tree], check=True)
    with live_system.extracted(iso, tmp_path / "live") as found:
        assert found
        assert found.kernel.read_text().endswith("/live/vmlinuz")
        assert found.prints_notices
    assert not (tmp_path / "live").exists()
    (tree / "boot/grub/kargs.cfg").write_bytes(b"\xff\xfe")
    subprocess.run(["xorriso", "-as", "mkisofs", "-quiet", "-r", "-o", tmp_path / "strange.iso", tree], check=True)
    with live_system.extracted(tmp_path / "strange.iso", tmp_path / "live") as strange:
        assert strange
    (tmp_path / "stick.img").write_bytes(b"\0" * (1 << 20))
    with live_system.extracted(tmp_path / "stick.img", tmp_path / "live") as none:
        assert none is None


def test_without_a_kvm_device_nothing_is_probed(tmp_path: Path) -> None:
    verdict = verdicts.obtain(
        Path("/usr/bin/false"), None, Verdicts(tmp_path), boot_id="boot", device=tmp_path / "kvm"
    )  # fmt: skip
    assert verdict == Verdict(False, f"there is no {tmp_path}/kvm")


def test_a_verdict_is_remembered_for_this_kernel_boot_qemu_and_guest(tmp_path: Path, live: LiveSystem) -> None:
    """A stand-in for QEMU counts its starts."""
    starts, device = tmp_path / "starts", tmp_path / "kvm"
    device.touch()
    qemu = stand_in(tmp_path, f"echo started >>{starts}\nexit 1")

    def starts_after(boot_id: str, guest: LiveSystem | None = live) -> int:
        assert not verdicts.obtain(qemu, guest, Verdicts(tmp_path), boot_id=boot_id, device=device).kvm_works
        return starts.read_text().count("started")

    assert starts_after("first") == 1
    assert starts_after("first") == 1
    assert starts_after("second") == 2
    assert starts_after("second", None) == 3
    assert starts_after("second") == 3
    os.utime(qemu, (0, 0))  # another QEMU was installed
    assert starts_after("second") == 4
    (tmp_path / "lab/kvm.json").write_text("{")
    assert starts_after("second") == 5


def test_a_new_verdict_replaces_the_one_before(tmp_path: Path) -> None:
    memory = Verdicts(tmp_path)
    memory.remember(SUBJECT, Verdict(True, "yes"))
    memory.remember(SUBJECT, NO)
    assert memory.recall(SUBJECT) == NO


def test_the_oldest_verdict_is_forgotten_when_there_are_too_many(tmp_path: Path) -> None:
    memory = Verdicts(tmp_path)
    subjects = [
        Subject("6.1.0 #1", "boot", "/usr/bin/qemu 1", f"guest {number}") for number in range(MAX_REMEMBERED + 1)
    ]
    for subject in subjects:
        memory.remember(subject, NO)
    assert memory.recall(subjects[0]) is None
    assert memory.recall(subjects[1]) == memory.recall(subjects[-1]) == NO


@pytest.mark.skipif(not (shutil.which("as") and shutil.which("ld")), reason="needs binutils")
def test_the_boot_sector_is_the_assembled_source(tmp_path: Path) -> None:
    source = Path(boot_sector.__file__).with_suffix(".S")
    built, binary = tmp_path / "s.o", tmp_path / "s.bin"
    subprocess.run(["as", "-o", built, source], check=True)
    subprocess.run(
        ["ld", "-m", "elf_x86_64", "-Ttext", "0x7c00", "--oformat", "binary", "-o", binary, built], check=True
    )
    assert binary.read_bytes() == boot_sector.BOOT_SECTOR
