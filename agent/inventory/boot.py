"""How this host was booted."""

from __future__ import annotations

from agent.inventory import boot_order
from agent.machine import Files, Machine
from agent.model.host_paths import INSTALLED_FILE
from agent.model.inventory import Boot

EFI = "/sys/firmware/efi"
SECURE_BOOT = f"{EFI}/efivars/SecureBoot-{boot_order.GLOBAL}"


def collect(machine: Machine) -> Boot:
    files = machine.files
    return Boot(
        current_boot_mode="uefi" if files.at(EFI).is_dir() else "bios",
        command_line=files.attribute("/proc/cmdline"),
        secure_boot_state=_secure_boot(files),
        boot_order=boot_order.collect(files),
        device_type="persistent" if files.at(INSTALLED_FILE).exists() else "ephemeral",
    )


def _secure_boot(files: Files) -> str:
    if not files.at(EFI).is_dir():
        return "NotSupported"
    try:
        return parse_secure_boot(files.at(SECURE_BOOT).read_bytes())
    except OSError:
        return "Unknown"


def parse_secure_boot(variable: bytes) -> str:
    """Four bytes of attributes, then the value."""
    if len(variable) != 5:
        return "Unknown"
    return "Enabled" if variable[-1] == 1 else "Disabled"
