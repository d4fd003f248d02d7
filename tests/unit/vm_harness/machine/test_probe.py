"""Does KVM work? The probes, with stand-ins for QEMU that end, hang or speak as a real one does; and their memory."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from vm_harness.machine.accel import Verdict
from vm_harness.machine.probe import boot_sector, live_system, verdicts
from vm_harness.machine.probe.live_system import LiveSystem, prints_notices
from vm_harness.machine.probe.verdicts import KEPT, Subject, Verdicts

SUBJECT = Subject("6.1.0 #1", "boot", "/usr/bin/qemu 1", "digest")
NO = Verdict(False, "no")
# As QEMU 7.2 prints it on standard error when KVM cannot emulate an instruction; the guest then stands still.
INTERNAL_ERROR = "KVM internal error. Suberror: 1"
KNOWN_LINE = r"[\033[0;32m  OK  \033[0m] Reached target \033[0;1;39minitrd.target\033[0m - Initrd Default Target."


def stand_in(directory: Path, script: str) -> Path:
    qemu = directory / "qemu"
    qemu.write_text(f"#!/bin/sh\n{script}\n")
    qemu.chmod(0o755)
    return qemu


@pytest.fixture
def live(tmp_path: Path) -> LiveSystem:
    return LiveSystem(tmp_path / "vmlinuz", tmp_path / "initrd.img", "digest", True)


def test_a_boot_sector_that_reaches_long_mode_is_a_yes(tmp_path: Path) -> None:
    assert boot_sector.boot(stand_in(tmp_path, f"exit {boot_sector.REACHED_LONG_MODE}")).kvm_works


def test_a_qemu_that_ends_otherwise_is_a_no_with_its_words(tmp_path: Path) -> None:
    verdict = boot_sector.boot(stand_in(tmp_path, "echo 'failed to set MSR 0x10a' >&2; exit 1"))
    assert not verdict.kvm_works
    assert "QEMU ended with 1 (failed to set MSR 0x10a)" in verdict.reason


def test_a_kernel_that_reaches_its_basic_system_is_a_yes_and_is_ended(tmp_path: Path, live: LiveSystem) -> None:
    verdict = live_system.boot(stand_in(tmp_path, f"printf '{KNOWN_LINE}\\n'; exec sleep 100"), live)
    assert verdict.kvm_works, verdict


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        (f"echo '{INTERNAL_ERROR}' >&2; exec sleep 100", INTERNAL_ERROR),
        ("echo 'Kernel panic - not syncing'; exit 0", r"QEMU ended with 0 \(Kernel panic - not syncing\)"),
        ("exit 1", r"QEMU ended with 1 \(it printed nothing\)"),
        ("echo '[    0.000000] Linux version 6.12'; exec sleep 100", r"within 0\.3 s \(.* Linux version 6\.12\)"),
        ("exec sleep 100", r"within 0\.3 s \(it printed nothing\)"),
        ("while :; do echo on and on; done", r"within 0\.3 s \(on and on\)"),
    ],
)
def test_a_kernel_that_does_not_is_a_no_with_the_reason(
    script: str, reason: str, tmp_path: Path, live: LiveSystem, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_system, "DEADLINE_SECONDS", 0.3)
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
def test_the_command_line_tells_whether_a_kernel_announces_itself(arguments: str, prints: bool) -> None:
    assert prints_notices(f"linux /live/vmlinuz {arguments}\n") is prints


@pytest.mark.skipif(not shutil.which("xorriso"), reason="needs xorriso")
def test_an_iso_gives_its_kernel_and_anything_else_gives_none(tmp_path: Path) -> None:
    tree, iso = tmp_path / "tree", tmp_path / "live.iso"
    for inside in live_system.FILES.values():
        (tree / inside.lstrip("/")).parent.mkdir(parents=True, exist_ok=True)
        (tree / inside.lstrip("/")).write_text(f"console=ttyS0 loglevel=6 {inside}")
    subprocess.run(["xorriso", "-as", "mkisofs", "-quiet", "-r", "-o", iso, tree], check=True)
    with live_system.extracted(iso, tmp_path / "live") as found:
        assert found
        assert found.kernel.read_text().endswith("/live/vmlinuz")
        assert found.announces_itself
    assert not (tmp_path / "live").exists()
    (tree / "boot/grub/kargs.cfg").write_bytes(b"\xff\xfe")
    subprocess.run(["xorriso", "-as", "mkisofs", "-quiet", "-r", "-o", tmp_path / "strange.iso", tree], check=True)
    with live_system.extracted(tmp_path / "strange.iso", tmp_path / "live") as strange:
        assert strange
    (tmp_path / "stick.img").write_bytes(b"\0" * (1 << 20))
    with live_system.extracted(tmp_path / "stick.img", tmp_path / "live") as none:
        assert none is None


def test_no_device_is_a_no_that_nothing_is_started_for(tmp_path: Path) -> None:
    verdict = verdicts.obtain(
        Path("/usr/bin/false"), None, Verdicts(tmp_path), boot_id="boot", device=tmp_path / "kvm"
    )  # fmt: skip
    assert verdict == Verdict(False, f"there is no {tmp_path}/kvm")


def test_a_verdict_is_kept_for_this_kernel_boot_qemu_and_guest(tmp_path: Path, live: LiveSystem) -> None:
    """A stand-in for QEMU counts how often it is asked."""
    asked, device = tmp_path / "asked", tmp_path / "kvm"
    device.touch()
    qemu = stand_in(tmp_path, f"echo asked >>{asked}\nexit 1")

    def ask(boot_id: str, guest: LiveSystem | None = live) -> int:
        assert not verdicts.obtain(qemu, guest, Verdicts(tmp_path), boot_id=boot_id, device=device).kvm_works
        return asked.read_text().count("asked")

    assert ask("first") == 1
    assert ask("first") == 1
    assert ask("second") == 2
    assert ask("second", None) == 3
    assert ask("second") == 3
    os.utime(qemu, (0, 0))  # another QEMU was installed
    assert ask("second") == 4
    (tmp_path / "lab/kvm.json").write_text("{")
    assert ask("second") == 5


def test_a_corrected_verdict_replaces_the_first(tmp_path: Path) -> None:
    memory = Verdicts(tmp_path)
    memory.remember(SUBJECT, Verdict(True, "yes"))
    memory.remember(SUBJECT, NO)
    assert memory.recall(SUBJECT) == NO


def test_the_memory_is_bounded_and_forgets_the_oldest(tmp_path: Path) -> None:
    memory = Verdicts(tmp_path)
    subjects = [Subject("6.1.0 #1", "boot", "/usr/bin/qemu 1", f"guest {number}") for number in range(KEPT + 1)]
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
