"""Firmware of a machine: BIOS (SeaBIOS, inside QEMU) or UEFI (OVMF from Debian's package `ovmf`)."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path

UEFI_CODE = Path("/usr/share/OVMF/OVMF_CODE_4M.fd")
UEFI_VARIABLES = Path("/usr/share/OVMF/OVMF_VARS_4M.fd")
"""Template of the variables: each machine gets a copy."""


class Firmware(StrEnum):
    BIOS = "bios"
    UEFI = "uefi"
