"""The probe that decides: the kernel and initramfs that the machines will run, booted under KVM up to systemd's
`initrd.target`.

A boot sector proves little: KVM may run it and still fail at an instruction of a real kernel that KVM has to emulate.
"""

from __future__ import annotations

import hashlib
import os
import re
import select
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from cli.command import run
from vm_harness.machine.accel import Acceleration, Verdict
from vm_harness.machine.probe.qemu import argv

FILES = {
    "kernel": "/live/vmlinuz",
    "initramfs": "/live/initrd.img",
    "menu": "/boot/grub/grub.cfg",
    "arguments": "/boot/grub/kargs.cfg",
}
"""Their places on an ISO of ours (docs/design/boot.md)."""
INITRD_LINE = re.compile(rb"Reached target .*initrd\.target")
"""systemd's line when the initramfs has loaded drivers: by then udev, two CPUs and user space have worked."""
DEADLINE_SECONDS = 20.0
"""Emulation needs 11 s for this, a working KVM a quarter of it; the rest is for a busy computer."""
INTERNAL_ERROR = re.compile(rb"KVM internal error[^\n]{0,200}")
"""QEMU prints this and stops the guest, but does not end."""
MAX_OUTPUT_BYTES = 1 << 16
NOTICE = 5
"""printk's level of the kernel's first lines: the console shows them when `loglevel=` is above it."""


class LiveSystem(msgspec.Struct, frozen=True):
    """`digest` identifies kernel and initramfs; `prints_notices`: the kernel prints its first lines on the console."""

    kernel: Path
    initramfs: Path
    digest: str
    prints_notices: bool


@contextmanager
def extracted(iso: Path, into: Path) -> Iterator[LiveSystem | None]:
    """The live system of an ISO, as files in `into` for as long as the block lasts; None: it is no ISO of ours.

    `into` is emptied first: a killed process may have left files there.
    """
    shutil.rmtree(into, ignore_errors=True)
    into.mkdir(parents=True)
    try:
        paths = {name: into / name for name in FILES}
        pairs = [word for name, inside in FILES.items() for word in ("-extract", inside, str(paths[name]))]
        run(["xorriso", "-osirrox", "on", "-indev", iso, *pairs], timeout=120, check=False)
        if not all(path.is_file() for path in paths.values()):
            yield None
            return
        digest = _digest(paths["kernel"]) + _digest(paths["initramfs"])
        command_line = "".join(paths[name].read_text(errors="replace") for name in ("menu", "arguments"))
        yield LiveSystem(paths["kernel"], paths["initramfs"], digest, shows_notices(command_line))
    finally:
        shutil.rmtree(into)


def _digest(file: Path) -> str:
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def shows_notices(command_line: str) -> bool:
    """Whether a kernel with these arguments shows notices on the serial console; the last `loglevel=` counts."""
    levels = re.findall(r"\bloglevel=(\d+)", command_line)
    consoles = re.findall(r"\bconsole=(\w+)", command_line)
    is_loud = bool(levels) and int(levels[-1]) > NOTICE
    return is_loud and "ttyS0" in consoles and not re.search(r"\bquiet\b", command_line)


def boot(qemu: Path, live: LiveSystem, accelerator: Acceleration = Acceleration.KVM) -> Verdict:
    """Boot it until `INITRD_LINE`, within `DEADLINE_SECONDS`."""
    started = time.monotonic()
    with subprocess.Popen(
        guest_argv(qemu, live, accelerator), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as guest:
        try:
            failure = _follow(guest, started + DEADLINE_SECONDS)
        finally:
            guest.kill()
    if failure:
        return Verdict(False, f"the ISO's own kernel does not start under {accelerator}: {failure}")
    return Verdict(True, f"the ISO's own kernel starts under {accelerator} ({time.monotonic() - started:.1f} s)")


def guest_argv(qemu: Path, live: LiveSystem, accelerator: Acceleration) -> list[str]:
    return [
        *argv(qemu, accelerator), "-smp", "2", "-m", "1024", "-serial", "stdio",
        "-kernel", os.fspath(live.kernel), "-initrd", os.fspath(live.initramfs),
        "-append", "console=ttyS0 panic=-1 loglevel=6 systemd.show_status=1 systemd.log_color=0",
    ]  # fmt: skip


def _follow(guest: subprocess.Popen[bytes], deadline: float) -> str:
    """Why `INITRD_LINE` does not come; empty when it has come. The pipe carries console and QEMU's errors."""
    assert guest.stdout
    output = b""
    while (left := deadline - time.monotonic()) > 0:
        if not select.select([guest.stdout], [], [], left)[0]:
            break
        if not (chunk := os.read(guest.stdout.fileno(), MAX_OUTPUT_BYTES)):
            return f"QEMU ended with {guest.wait()} ({_last_line(output)})"
        output = (output + chunk)[-MAX_OUTPUT_BYTES:]
        if INITRD_LINE.search(output):
            return ""
        if error := INTERNAL_ERROR.search(output):
            return error[0].decode(errors="replace")
    return f"it did not reach initrd.target within {DEADLINE_SECONDS:g} s ({_last_line(output)})"


def _last_line(output: bytes) -> str:
    lines = output.decode(errors="replace").strip().splitlines() or ["it printed nothing"]
    return lines[-1].strip()[:200]
