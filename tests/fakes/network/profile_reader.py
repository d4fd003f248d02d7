"""Runs on a test host, where NetworkManager answers it: a line of JSON asks, a line answers.

Asked is {"paths": [keyfiles], "meant": {UUID: settings}}: NetworkManager's library must take the settings for a valid
connection, NetworkManager itself loads the files. The answer has by UUID what it made of each, null for one it has
refused. Then the files go again.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import gi

gi.require_version("NM", "1.0")
from gi.repository import NM, Gio, GLib  # noqa: E402

from agent.machine.networkmanager import variant  # noqa: E402

NAME = "org.freedesktop.NetworkManager"
SETTINGS = "/org/freedesktop/NetworkManager/Settings"


def main() -> None:
    bus = Gio.bus_get_sync(Gio.BusType.SYSTEM, None)
    for line in sys.stdin:
        asked = json.loads(line)
        _call(bus, SETTINGS, "Settings", "LoadConnections", GLib.Variant("(as)", (asked["paths"],)))
        answer = {uuid: _profile(bus, uuid) for uuid, meant in asked["meant"].items() if _is_valid(meant)}
        for path in asked["paths"]:
            Path(path).unlink()
        _call(bus, SETTINGS, "Settings", "ReloadConnections", None)
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


def _profile(bus: Any, uuid: str) -> Any:
    try:
        (path,) = _call(bus, SETTINGS, "Settings", "GetConnectionByUuid", GLib.Variant("(s)", (uuid,)))
    except GLib.Error:
        return None
    (profile,) = _call(bus, path, "Settings.Connection", "GetSettings", None)
    return profile


def _is_valid(meant: Any) -> bool:
    """Raises GLib.Error with the reason when not."""
    settings = {name: {key: variant(typed) for key, typed in section.items()} for name, section in meant.items()}
    return bool(NM.SimpleConnection.new_from_dbus(GLib.Variant("a{sa{sv}}", settings)).verify())


def _call(bus: Any, path: str, interface: str, method: str, arguments: Any) -> Any:
    flags = Gio.DBusCallFlags.NONE
    return bus.call_sync(NAME, path, f"{NAME}.{interface}", method, arguments, None, flags, 10_000).unpack()


main()
