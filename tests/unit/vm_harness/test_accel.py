"""KVM or emulation: the decision, the memory of it, and the probe's guest itself."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from agent.api.problems import Problem
from vm_harness import accel
from vm_harness.accel import Acceleration, Verdict, Wish

WORKS = Verdict(True, "a guest boots under KVM")
BROKEN = Verdict(False, "/dev/kvm is there, but a guest does not boot")


@pytest.mark.parametrize(
    ("wish", "verdict", "chosen"),
    [
        (Wish.AUTO, WORKS, Acceleration.KVM),
        (Wish.AUTO, BROKEN, Acceleration.EMULATION),
        (Wish.KVM, WORKS, Acceleration.KVM),
        (Wish.EMULATION, WORKS, Acceleration.EMULATION),
        (Wish.EMULATION, BROKEN, Acceleration.EMULATION),
    ],
)
def test_the_wish_and_the_probe_decide(wish: Wish, verdict: Verdict, chosen: Acceleration) -> None:
    acceleration, reason = accel.decide(wish, verdict)
    assert acceleration is chosen
    assert reason


def test_kvm_asked_for_and_broken_is_refused_with_the_reason() -> None:
    with pytest.raises(Problem, match="does not boot") as refused:
        accel.decide(Wish.KVM, BROKEN)
    assert refused.value.code == "kvm-unusable"


def test_no_device_no_kvm(tmp_path: Path) -> None:
    verdict = accel.probe(Path("/usr/bin/false"), device=tmp_path / "kvm")
    assert verdict == Verdict(False, f"there is no {tmp_path}/kvm")


def test_a_qemu_that_ends_otherwise_is_no_proof(tmp_path: Path) -> None:
    device = tmp_path / "kvm"
    device.touch()
    verdict = accel.probe(Path("/usr/bin/false"), device=device)
    assert not verdict.kvm_works
    assert "QEMU ended with 1" in verdict.reason


def test_the_answer_is_kept_for_this_boot_and_this_qemu(tmp_path: Path) -> None:
    """A stand-in for QEMU counts how often it is asked."""
    qemu, asked = tmp_path / "qemu", tmp_path / "asked"
    qemu.write_text(f"#!/bin/sh\necho asked >>{asked}\nexit {accel.REACHED_LONG_MODE}\n")
    qemu.chmod(0o755)
    device = tmp_path / "kvm"
    device.touch()

    def ask(boot_id: str) -> Verdict:
        return accel.remembered_probe(qemu, boot_id=boot_id, cache=tmp_path, device=device)

    assert ask("first").kvm_works
    assert ask("first").kvm_works
    assert asked.read_text().count("asked") == 1
    ask("second")
    assert asked.read_text().count("asked") == 2
    os.utime(qemu, (0, 0))  # another QEMU was installed
    ask("second")
    assert asked.read_text().count("asked") == 3
    (tmp_path / "lab/kvm.json").write_text("{")
    ask("second")
    assert asked.read_text().count("asked") == 4


@pytest.mark.skipif(not (shutil.which("as") and shutil.which("ld")), reason="needs binutils")
def test_the_boot_sector_is_the_assembled_source(tmp_path: Path) -> None:
    source = Path(accel.__file__).parent / "probe/boot_sector.S"
    built, binary = tmp_path / "s.o", tmp_path / "s.bin"
    subprocess.run(["as", "-o", built, source], check=True)
    subprocess.run(
        ["ld", "-m", "elf_x86_64", "-Ttext", "0x7c00", "--oformat", "binary", "-o", binary, built], check=True
    )
    assert binary.read_bytes() == accel.BOOT_SECTOR
