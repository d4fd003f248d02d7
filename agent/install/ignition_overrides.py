"""The user's own Ignition configs, which came with the ISO: they go into the installed system as well."""

from __future__ import annotations

from agent.machine import Files
from agent.model.host_paths import HOST_IGNITION_DIRECTORY, IGNITION_OVERRIDE_FILE
from agent.model.intent import HostIntent


def overrides(files: Files, host: HostIntent | None) -> tuple[bytes, ...]:
    """The one for every host, then the one for `host`; documents as JSON."""
    paths = [IGNITION_OVERRIDE_FILE, *([f"{HOST_IGNITION_DIRECTORY}/{host.hostname}.ign"] if host else [])]
    return tuple(files.at(path).read_bytes() for path in paths if files.at(path).is_file())
