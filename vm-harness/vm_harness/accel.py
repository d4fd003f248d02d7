"""KVM or emulation?

Asked by starting a guest, because /dev/kvm may exist and still not boot an ordinary one (nested or para-virtual KVM).
"""

from __future__ import annotations

import os
import tempfile
from enum import StrEnum
from pathlib import Path

import msgspec

from agent.api.problems import Problem
from agent.machine.files import Files
from vm_harness.command import run

DEVICE = Path("/dev/kvm")
DEADLINE_SECONDS = 5.0
"""A working KVM needs 0.2 s for the probe.

One that traps every instruction of real mode takes longer than emulation does.
"""

BOOT_SECTOR = bytes.fromhex(
    "fa31c08ed88ec08ed0bc007cbf0010b90018fcf3abc70600100320c70600200330c706003083000f0116787c66b8200000000f22e066b8001000000f22d8"
    "66b9800000c00f32660d000100000f3066b8010000800f22c0ea5c7c080066ba0105b02aeef4ebfd6690000000000000000000000000009a20000f00687c"
    "0000"
)
"""probe/boot_sector.S, assembled."""
REACHED_LONG_MODE = 0x2A << 1 | 1


class Acceleration(StrEnum):
    """QEMU's names. Emulation asks for patience and for other CPU models."""

    KVM = "kvm"
    EMULATION = "tcg"

    @property
    def is_emulation(self) -> bool:
        return self is Acceleration.EMULATION


class Wish(StrEnum):
    """What the user asks for. `AUTO` probes."""

    AUTO = "auto"
    KVM = "kvm"
    EMULATION = "tcg"


class Verdict(msgspec.Struct, frozen=True):
    """Whether KVM boots a guest, and in words why we think so."""

    kvm_works: bool
    reason: str


class CachedVerdict(msgspec.Struct, frozen=True):
    """A verdict holds for one boot of this machine and one QEMU."""

    boot_id: str
    qemu: str
    verdict: Verdict


def decide(wish: Wish, verdict: Verdict) -> tuple[Acceleration, str]:
    """The acceleration and the reason to show. Raises `Problem` (`kvm-unusable`) when KVM must be and cannot."""
    match wish:
        case Wish.EMULATION:
            return Acceleration.EMULATION, "asked for"
        case Wish.KVM if not verdict.kvm_works:
            raise Problem(
                code="kvm-unusable", title=f"KVM was asked for, but {verdict.reason}",
                remedy="Use --accel tcg: slower, works everywhere.",
            )  # fmt: skip
        case Wish.KVM | Wish.AUTO:
            chosen = Acceleration.KVM if verdict.kvm_works else Acceleration.EMULATION
            return chosen, verdict.reason


def probe(qemu: Path, device: Path = DEVICE) -> Verdict:
    """Boot `BOOT_SECTOR` under KVM within `DEADLINE_SECONDS`."""
    if not device.exists():
        return Verdict(False, f"there is no {device}")
    if not os.access(device, os.R_OK | os.W_OK):
        return Verdict(False, f"{device} may not be used by this user")
    with tempfile.NamedTemporaryFile(suffix=".img") as disk:
        disk.write(BOOT_SECTOR.ljust(510, b"\0") + b"\x55\xaa")
        disk.truncate(1 << 20)
        try:
            ended = run(guest_argv(qemu, Path(disk.name)), timeout=DEADLINE_SECONDS, check=False)
        except Problem as problem:
            return Verdict(False, f"{device} is there, but a guest does not boot: {problem.title}")
    if ended.exit_code != REACHED_LONG_MODE:
        return Verdict(False, f"{device} is there, but a guest does not boot: QEMU ended with {ended.exit_code}")
    return Verdict(True, "a guest boots under KVM")


def guest_argv(qemu: Path, disk: Path, accelerator: Acceleration = Acceleration.KVM) -> list[str]:
    return [
        os.fspath(qemu), "-accel", accelerator, "-cpu", "max", "-machine", "q35", "-m", "64",
        "-nodefaults", "-no-reboot", "-display", "none", "-device", "isa-debug-exit,iobase=0x501,iosize=1",
        "-drive", f"file={disk},format=raw,if=virtio", "-boot", "c",
    ]  # fmt: skip


def remembered_probe(qemu: Path, *, boot_id: str, cache: Path, device: Path = DEVICE) -> Verdict:
    """`probe`, once per boot of this machine and per QEMU; the answer is kept in `cache`/lab/kvm.json."""
    identity = f"{qemu} {qemu.stat().st_mtime_ns}"
    path = cache / "lab" / "kvm.json"
    try:
        known = msgspec.json.decode(path.read_bytes(), type=CachedVerdict)
        if (known.boot_id, known.qemu) == (boot_id, identity):
            return known.verdict
    except (FileNotFoundError, msgspec.DecodeError):
        pass  # Asked for the first time; a damaged cache is no cache.
    verdict = probe(qemu, device)
    Files(cache).write("lab/kvm.json", msgspec.json.encode(CachedVerdict(boot_id, identity, verdict)))
    return verdict
