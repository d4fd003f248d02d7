"""The command line of systemd-nspawn(1) for a host. Nothing here has effects."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from vm_harness.container.control_groups import Hierarchies

REBOOTED = 133
"""Exit code with --keep-unit when the container has restarted itself."""
FORBIDDEN = ("CAP_SYS_TIME", "CAP_SYS_MODULE", "CAP_SYS_RAWIO")
"""Of the computer and not of the container: its clock, its kernel's modules, its ports."""
ENVIRONMENT = {
    # containerd and its containers need more system calls than nspawn's filter lets through.
    "SYSTEMD_SECCOMP": "0",
    # /proc/sys/net is writable and /sys is not: so no udevd starts, and NICs are taken as they are.
    "SYSTEMD_NSPAWN_API_VFS_WRITABLE": "network",
}
LEGACY_ENVIRONMENT = {"SYSTEMD_NSPAWN_UNIFIED_HIERARCHY": "0"}
LEGACY_ARGUMENTS = ("systemd.unified_cgroup_hierarchy=0", "SYSTEMD_CGROUP_ENABLE_LEGACY_FORCE=1")
"""systemd 256 and later need the second one."""


def environment(hierarchies: Hierarchies) -> dict[str, str]:
    return ENVIRONMENT | (LEGACY_ENVIRONMENT if hierarchies.legacy else {})


def argv(
    name: str, root: Path, network: Path, lab: Path, console: Path, binds: Mapping[str, Path], kernel_arguments: str,
    hierarchies: Hierarchies,
) -> list[str]:  # fmt: skip
    """`lab`: the directory that the container sees at /run/lab. `binds`: as in `RootFileSystem`."""
    return [
        # Without its runner a container would go on, but nothing would follow it any more.
        "setpriv", "--pdeathsig", "KILL", "--",
        "systemd-nspawn", "--quiet", f"--directory={root}", f"--machine={name}", "--hostname=localhost",
        "--register=no", "--keep-unit", "--settings=no", "--link-journal=no", "--timezone=off", "--resolv-conf=off",
        "--kill-signal=SIGRTMIN+3", "--console=pipe", "--capability=all",
        f"--drop-capability={','.join(FORBIDDEN)}", f"--network-namespace-path={network}",
        f"--bind-ro={lab}:/run/lab", f"--bind={console}:/dev/ttyS0", *_binds(binds),
        "/run/lab/init", *(LEGACY_ARGUMENTS if hierarchies.legacy else ()), *kernel_arguments.split(),
    ]  # fmt: skip


def _binds(binds: Mapping[str, Path]) -> Iterable[str]:
    for inside, outside in binds.items():
        is_read_only = inside.endswith("~")
        yield f"--bind{'-ro' if is_read_only else ''}={outside}:{inside.rstrip('~')}"
