"""Whether KVM works here: probed once for each kernel and boot of this computer, QEMU, and guest kernel."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from agent.machine.files import Files
from cli.progress import say
from vm_harness.machine.accel import Verdict
from vm_harness.machine.probe import boot_sector, live_system
from vm_harness.machine.probe.live_system import LiveSystem

DEVICE = Path("/dev/kvm")
FILE = "lab/kvm.json"
MAX_REMEMBERED = 16
"""Number of verdicts in the file; beyond it, the oldest is removed."""


class Subject(msgspec.Struct, frozen=True):
    """What a verdict is about. `guest`: digest of the guest's kernel and initramfs; empty when not known."""

    computer_kernel: str
    computer_boot: str
    qemu: str
    guest: str

    @classmethod
    def of(cls, qemu: Path, boot_id: str, guest: str) -> Subject:
        kernel = os.uname()
        identity = f"{qemu} {qemu.stat().st_mtime_ns}"
        return cls(f"{kernel.release} {kernel.version}", boot_id, identity, guest)


class Remembered(msgspec.Struct, frozen=True):
    subject: Subject
    verdict: Verdict


class Verdicts:
    """The verdicts in `cache`/lab/kvm.json."""

    def __init__(self, cache: Path) -> None:
        self._files = Files(cache)
        self.file = self._files.at(FILE)

    def recall(self, subject: Subject) -> Verdict | None:
        return next((known.verdict for known in reversed(self._all()) if known.subject == subject), None)

    def remember(self, subject: Subject, verdict: Verdict) -> None:
        others = [known for known in self._all() if known.subject != subject]
        self._files.write(FILE, msgspec.json.encode([*others, Remembered(subject, verdict)][-MAX_REMEMBERED:]))

    def _all(self) -> list[Remembered]:
        try:
            return msgspec.json.decode(self.file.read_bytes(), type=list[Remembered])
        except (FileNotFoundError, msgspec.DecodeError):
            return []  # The first time, or a damaged cache.


def obtain(qemu: Path, live: LiveSystem | None, verdicts: Verdicts, *, boot_id: str, device: Path = DEVICE) -> Verdict:
    """The remembered verdict, else the probes', which is then remembered."""
    if not device.exists():
        return Verdict(False, f"there is no {device}")
    if not os.access(device, os.R_OK | os.W_OK):
        return Verdict(False, f"{device} may not be used by this user")
    subject = Subject.of(qemu, boot_id, live.digest if live else "")
    verdict = verdicts.recall(subject)
    if verdict is None:
        verdict = _probe(qemu, live)
        verdicts.remember(subject, verdict)
    return verdict


def _probe(qemu: Path, live: LiveSystem | None) -> Verdict:
    """The boot sector first, because it fails fastest; then the kernel that the machines will run."""
    quick = boot_sector.boot(qemu)
    if not quick.kvm_works or live is None:
        return quick
    say(f"  booting the ISO's own kernel under KVM, for at most {live_system.DEADLINE_SECONDS:g} s")
    return live_system.boot(qemu, live)
