"""Runs Debian's Ignition on a directory: it writes the installed host's `/etc` while the agent can report errors."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from agent.machine import Machine
from agent.model.problems import Problem
from ignition import compose, spec, validate

IGNITION = "/usr/lib/dracut/modules.d/30ignition/ignition"
_PRESETS = "etc/systemd/system-preset/20-ignition.preset"
_CONFIG = "user.ign"  # in the system config directory: what Ignition's platform "metal" reads


async def check(machine: Machine, config: spec.Config) -> None:
    """Raises Problem `ignition-invalid` for anything that `ignition-validate` reports, warnings included."""
    ended = await machine.processes.run(validate.ARGV, stdin=compose.encode(config), check=False)
    found = validate.findings(ended.stdout + ended.stderr, ended.exit_code)
    if found:
        raise Problem(
            code="ignition-invalid",
            title="The Ignition config of the installed host is not valid.",
            detail="\n".join(map(str, found)),
            remedy="This is a bug of the installer; please report it with this host's logs.",
        )


async def apply(machine: Machine, config: spec.Config, root: Path) -> None:
    """Write users, files and units into the system below `root`, and apply the presets of the units.

    Raises Problem: `ignition-failed`.
    """
    with _private_directory(machine) as directory:
        (directory / _CONFIG).write_bytes(compose.encode(config))
        # Debian builds Ignition with SELinux relabelling and there is none here: this setfiles has nothing to do.
        (directory / "setfiles").symlink_to("/bin/true")
        for stage in ("fetch-offline", "files"):
            await _ignition(machine, directory, root, stage)
    if units := await asyncio.to_thread(_units_with_presets, root):
        await machine.processes.run(["systemctl", f"--root={root}", "preset", *units])


def _units_with_presets(root: Path) -> list[str]:
    """Units that the config, or one merged into it, switches on or off: systemd.preset(5), as Ignition writes it."""
    presets = root / _PRESETS
    lines = presets.read_text().splitlines() if presets.is_file() else []
    return [words[1] for words in map(str.split, lines) if len(words) > 1 and words[0] in {"enable", "disable"}]


async def _ignition(machine: Machine, directory: Path, root: Path, stage: str) -> None:
    argv = [
        IGNITION, "--platform=metal", f"--root={root}", f"--stage={stage}", "--log-to-stdout",
        f"--config-cache={directory}/cache.json", f"--state-file={directory}/state", f"--neednet={directory}/neednet",
    ]  # fmt: skip
    environment = {
        "IGNITION_SYSTEM_CONFIG_DIR": str(directory),
        # sshd of Debian reads one file, not the fragments in authorized_keys.d.
        "IGNITION_WRITE_AUTHORIZED_KEYS_FRAGMENT": "false",
        "PATH": f"{directory}:/usr/sbin:/usr/bin:/sbin:/bin",
    }
    ended = await machine.processes.run(argv, environment=environment, timeout=120, check=False)
    if ended.exit_code != 0:
        raise Problem(
            code="ignition-failed",
            title=f"Ignition could not configure the installed host in its stage {stage}.",
            detail="\n".join(_complaints(ended.stdout + ended.stderr)),
            remedy="The disk may be failing, or this is a bug of the installer: see the log of this host.",
        )


def _complaints(log: str) -> list[str]:
    """What failed. The rest of Ignition's log holds the whole config, keys and all, and goes nowhere."""
    return [line for line in log.splitlines() if line.startswith("CRITICAL") or "[failed]" in line]


@contextmanager
def _private_directory(machine: Machine) -> Iterator[Path]:
    """In memory, readable by root only, gone at the end: the config holds keys."""
    parent = machine.files.at("/run/cluster0")
    parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="ignition-", dir=parent) as directory:
        yield Path(directory)
