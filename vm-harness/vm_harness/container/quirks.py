"""What this computer lacks, and the files that let containerd work in spite of it.

Each is probed. The files are in a layer of the lab's, between the root image and the overlay's upper directory: neither
the image nor the installed system has them.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from vm_harness.container.control_groups import Hierarchies

CAP_SYS_RESOURCE = 24
CONTAINERD = "etc/containerd/config.toml"
INSIDE = Path(__file__).parent / "inside"
PROGRAMS = {"udevadm": "usr/bin/udevadm", "mount.vfat": "usr/sbin/mount.vfat"}
"""The lab's programs in `inside/` and where the container has them."""


def write_layer(layer: Path, image: Path, hierarchies: Hierarchies) -> list[str]:
    """Fill the directory `layer`; `image`: the mounted root image. Returns what was found, for the console."""
    for source, target in PROGRAMS.items():
        (layer / target).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(INSIDE / source, layer / target)
    text, found = (image / CONTAINERD).read_text(), []
    for reason, pattern, replacement in _changes(hierarchies):
        text = re.sub(pattern, replacement, text, flags=re.MULTILINE)
        found.append(reason)
    (layer / CONTAINERD).parent.mkdir(parents=True)
    (layer / CONTAINERD).write_text(text)
    return found


def _changes(hierarchies: Hierarchies) -> Iterator[tuple[str, str, str]]:
    """Reason, pattern and replacement in containerd's configuration."""
    if hierarchies.legacy:
        reason = "control groups of version 1: containerd manages them itself"
        yield reason, "SystemdCgroup = true", "SystemdCgroup = false"
    if not has_capability(CAP_SYS_RESOURCE):
        reason = "no CAP_SYS_RESOURCE: containerd does not lower oom_score_adj"
        yield reason, r"^( *)sandbox_image", r"\1restrict_oom_score_adj = true\n\1sandbox_image"


def has_capability(number: int) -> bool:
    """Whether this process has the capability in its effective set, see proc(5) and capabilities(7)."""
    status = Path("/proc/self/status").read_text()
    (line,) = (line for line in status.splitlines() if line.startswith("CapEff:"))
    return bool(int(line.split()[1], 16) >> number & 1)
