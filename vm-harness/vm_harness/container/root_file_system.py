"""What the initramfs does for a machine: the mounts of the root file system (docs/design/boot.md), and Ignition."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path

from agent.install.layout import OVERLAY_UPPER, OVERLAY_WORK
from agent.model.problems import Problem
from cli.command import Commands, run
from vm_harness.container import quirks
from vm_harness.container.boot_choice import Boot, Source
from vm_harness.container.control_groups import Hierarchies
from vm_harness.container.mounts import Mounts

IGNITION = "usr/lib/dracut/modules.d/30ignition/ignition"
PRESETS = "etc/systemd/system-preset/20-ignition.preset"
PRESET_LINE = re.compile(r"^(?:enable|disable) (\S+)", re.MULTILINE)
SECONDS = 120


@dataclass(frozen=True)
class RootFileSystem:
    """`root`: the overlay. `binds`: path in the container → directory, `~` after the path: read-only.

    `quirks`: what was found on this computer, for the console.
    """

    root: Path
    binds: dict[str, Path]
    quirks: list[str] = field(default_factory=list)


def assemble(boot: Boot, disk: Path, medium: Path, mounts: Mounts, ram_bytes: int) -> RootFileSystem:
    """Mount everything for this boot. `ram_bytes`: size of the RAM disk under a live system.

    Raises `Problem`: `command-failed`, `ignition-failed`.
    """
    arguments = dict(word.split("=", 1) for word in boot.arguments.split() if "=" in word)
    if boot.source is Source.MEDIUM:
        at_medium = mounts.mount("squashfs", medium, "medium", "ro")
        upper = mounts.mount("tmpfs", "tmpfs", "overlay", f"mode=0755,size={ram_bytes * 8 // 10}")
        binds = {"/run/cluster0/overlay": upper}
        above, work = upper / "upper", upper / "work"
    else:
        at_medium = mounts.mount("ext4", disk.with_name(f"{disk.name}p3"), "medium", "ro")
        state = disk.with_name(f"{disk.name}p4")
        run(["fsck.ext4", "-p", state], timeout=SECONDS, check=False)
        at_state = mounts.mount("ext4", state, "state", "rw,noatime")
        binds = {"/run/cluster0/state": at_state}
        above, work = at_state / OVERLAY_UPPER, at_state / OVERLAY_WORK
    image = mounts.mount("squashfs", at_medium / arguments["cluster0.image"], "image", "ro,loop")
    for directory in (above, work):
        directory.mkdir(parents=True, exist_ok=True)
    layer = mounts.mount("tmpfs", "tmpfs", "lab-layer", "mode=0755")
    found = quirks.write_layer(layer, image, Hierarchies.of_this_computer())
    root = mounts.mount("overlay", "overlay", "root", f"lowerdir={layer}:{image},upperdir={above},workdir={work}")
    if boot.source is Source.MEDIUM and "ignition.firstboot" in arguments:
        _ignite(at_medium / "images/ignition.img", image, root, mounts)
    return RootFileSystem(root, {**binds, "/run/cluster0/medium~": at_medium, "/run/cluster0/image~": image}, found)


def _ignite(archive: Path, image: Path, root: Path, mounts: Mounts) -> None:
    """Ignition of the root image itself, as the units of its dracut module call it; nothing without a config.

    The config has keys: it is in memory, and readable by root only.
    """
    directory = mounts.mount("tmpfs", "tmpfs", "ignition", "mode=0700")
    run(
        ["sh", "-c", 'cd "$1" && zcat "$2" 2>/dev/null | cpio --quiet -idm; true', "sh", directory, archive],
        timeout=SECONDS,
    )
    config = directory / "usr/lib/ignition/user.ign"
    if not config.exists():
        return
    config.rename(directory / "user.ign")
    (directory / "setfiles").symlink_to("/bin/true")
    environment = {
        "IGNITION_SYSTEM_CONFIG_DIR": os.fspath(directory),
        "IGNITION_WRITE_AUTHORIZED_KEYS_FRAGMENT": "false",
        "PATH": f"{directory}:{os.environ['PATH']}",
    }
    for stage in ("fetch-offline", "files"):
        argv: list[str | Path] = [
            image / IGNITION, "--platform=metal", f"--root={root}", f"--stage={stage}", "--log-to-stdout",
            f"--config-cache={directory}/cache.json", f"--state-file={directory}/state",
            f"--neednet={directory}/neednet",
        ]  # fmt: skip
        ended = Commands(environment=environment).run(argv, timeout=SECONDS, check=False)
        if ended.exit_code != 0:
            # The rest of its log holds the config.
            detail = "\n".join(line for line in ended.stdout.splitlines() if "CRITICAL" in line or "[failed]" in line)
            raise Problem(code="ignition-failed", title=f"Ignition failed in its stage {stage}", detail=detail)
    if (root / PRESETS).exists() and (units := PRESET_LINE.findall((root / PRESETS).read_text())):
        run(["systemctl", f"--root={root}", "preset", *units], timeout=SECONDS)
