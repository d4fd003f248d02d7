"""Firmware of a machine: BIOS (SeaBIOS, inside QEMU) or UEFI (OVMF from Debian's package `ovmf`)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

_OVMF = Path("/usr/share/OVMF")


class Firmware(StrEnum):
    """`SECURE_BOOT`: UEFI with Microsoft's keys, which starts only what is signed."""

    BIOS = "bios"
    UEFI = "uefi"
    SECURE_BOOT = "secure-boot"


@dataclass(frozen=True)
class UefiFiles:
    """`variables`: a template, of which each machine gets a copy. `is_secure`: only System Management Mode may write
    the variables, so that the guest cannot switch Secure Boot off."""

    code: Path
    variables: Path
    is_secure: bool = False


UEFI_FILES = {
    Firmware.UEFI: UefiFiles(_OVMF / "OVMF_CODE_4M.fd", _OVMF / "OVMF_VARS_4M.fd"),
    Firmware.SECURE_BOOT: UefiFiles(_OVMF / "OVMF_CODE_4M.secboot.fd", _OVMF / "OVMF_VARS_4M.ms.fd", is_secure=True),
}


def missing_files(firmware: Firmware) -> Iterator[Path]:
    """The files of the firmware that this computer lacks."""
    if files := UEFI_FILES.get(firmware):
        yield from (path for path in (files.code, files.variables) if not path.exists())
