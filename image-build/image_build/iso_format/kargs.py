"""`kargs.cfg`: the GRUB script in the ISO that sets what differs between clusters.

It is a script, so the characters of its values are restricted instead of quoted: no value can end its own string.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum

from agent.model.problems import Problem

LIVE = (
    "cluster0.image=live/rootfs.img ignition.firstboot=1 ignition.platform.id=metal "
    "console=tty0 console=ttyS0,115200n8 loglevel=6 systemd.show_status=auto audit=0 panic=10"
)
"""Kernel arguments of every live start, besides `cluster0.medium=` (docs/design/boot.md). The installed system
keeps them. A host whose kernel panics restarts after ten seconds; until then the console shows its last messages.
`loglevel=6` shows the notices of a starting kernel; user space then limits consoles to errors (60-cluster0.conf)."""

NETWORK_MEDIUM = "cluster0.medium=network"
"""Overrides the boot menu's `cluster0.medium=`, because the last one counts."""

_SAFE = re.compile(r"[A-Za-z0-9 ._,:;/=+@%-]*")


class BootVariable(StrEnum):
    """The variables that `grub.cfg` reads from `kargs.cfg`."""

    CLUSTER_ID = "cluster0_id"
    EXTRA_KARGS = "extra_kargs"


def render(variables: Mapping[BootVariable, str], *, size: int) -> bytes:
    """The whole area, `size` bytes, padded with newlines. Problem: `kernel-arguments-invalid`."""
    lines = [f'set {name}="{_checked(name, variables.get(name, ""))}"\n' for name in BootVariable]
    content = "".join(lines).encode()
    if len(content) > size:
        raise _invalid(f"The kernel arguments take {len(content)} bytes, the ISO has room for {size}.", "Shorten them.")
    return content.ljust(size, b"\n")


def _checked(name: str, value: str) -> str:
    if not _SAFE.fullmatch(value):
        raise _invalid(
            f"{name} holds a character that GRUB would interpret: {value!r}.",
            "Use letters, digits, spaces and . _ , : ; / = + @ % - only.",
        )
    return value


def _invalid(title: str, remedy: str) -> Problem:
    return Problem(code="kernel-arguments-invalid", title=title, remedy=remedy)
