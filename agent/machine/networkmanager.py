"""NetworkManager over D-Bus, by pydbus, which blocks and speaks GLib: all of that stays inside this file.

A daemon thread runs GLib's main loop for the signals; calls go through a pool of one thread; signals come back into
asyncio by `call_soon_threadsafe`.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self, TypeVar

from agent.model.problems import Problem

Result = TypeVar("Result")

NAME = "org.freedesktop.NetworkManager"
DEVICE = f"{NAME}.Device"
ACTIVE = f"{NAME}.Connection.Active"
SETTINGS = f"{NAME}.Settings"
PROPERTIES = "org.freedesktop.DBus.Properties"
NOTHING = "/"
CONNECTION_ACTIVATED = 2
DEVICE_ACTIVATED, DEVICE_FAILED = 100, 120
TO_DISK = 0x1
# Checkpoints before it are gone, profiles and devices that come after it go with a rollback.
CHECKPOINT_FLAGS = 0x1 | 0x2 | 0x4

Typed = tuple[str, Any]
"""A D-Bus signature, and the value as GLib.Variant takes it; in an "aa{sv}" the inner values are Typed again."""
Settings = Mapping[str, Mapping[str, Typed]]


@dataclass(frozen=True)
class Device:
    """`state` and `reason` are NetworkManager's numbers. `reason`: of the last failed attempt since this object exists:
    for the state after it NetworkManager has none. `active_uuid`: of the connection that is up, or empty."""

    interface: str
    state: int
    reason: int
    active_uuid: str


class NetworkManager:
    """Use as an async context manager. Raises Problem where NetworkManager does not answer."""

    def __init__(self) -> None:
        self._calls = ThreadPoolExecutor(max_workers=1, thread_name_prefix="D-Bus calls")
        self._bus: Any = None
        self._main_loop: Any = None
        self._signals = threading.Thread(target=lambda: self._main_loop.run(), name="D-Bus signals", daemon=True)
        self._changed = asyncio.Event()
        self._failures: dict[str, int] = {}

    async def __aenter__(self) -> Self:
        loop = asyncio.get_running_loop()
        try:
            await self._call(lambda: self._connect(lambda: loop.call_soon_threadsafe(self._changed.set)))
        except BaseException:
            self._calls.shutdown(wait=False)
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None
    ) -> None:
        await self._call(self._disconnect)
        self._calls.shutdown()

    async def devices(self) -> tuple[Device, ...]:
        return await self._call(self._devices)

    async def profiles(self) -> frozenset[str]:
        """UUIDs of the connections that NetworkManager has, active or not."""
        return await self._call(self._profiles)

    async def checkpoint(self, seconds: int) -> str:
        """Remember the network as it is; NetworkManager goes back to it after `seconds` unless `keep` is called."""
        return await self._call(lambda: str(self._manager().CheckpointCreate([], seconds, CHECKPOINT_FLAGS)))

    async def keep(self, checkpoint: str) -> None:
        """The network stays as it has become."""
        await self._call(lambda: self._manager().CheckpointDestroy(checkpoint))

    async def roll_back(self, checkpoint: str) -> None:
        """Go back to the network of the checkpoint, profiles added since included."""
        await self._call(lambda: self._manager().CheckpointRollback(checkpoint))

    async def apply(self, connections: Mapping[str, Settings]) -> None:
        """Give the connections with these UUIDs exactly these settings, on disk too, and start those that are no port
        of another: a bond or bridge starts its ports itself."""
        await self._call(lambda: self._apply(connections))

    async def forget(self, uuid: str) -> None:
        """The connection is down and its file is gone; nothing happens where there is none."""
        await self._call(lambda: self._forget(uuid))

    async def changes(self) -> AsyncIterator[None]:
        """One item at once, then one after each burst of changed properties anywhere in NetworkManager, without end."""
        while True:
            self._changed.clear()
            yield
            await self._changed.wait()

    async def _call(self, function: Callable[[], Result]) -> Result:
        from gi.repository import GLib

        try:
            return await asyncio.get_running_loop().run_in_executor(self._calls, function)
        except GLib.Error as error:
            raise Problem(
                code="networkmanager-unreachable",
                title=f"NetworkManager does not answer on the system bus: {error.message}",
                remedy="systemctl status NetworkManager dbus",
            ) from error

    def _connect(self, announce: Callable[[], object]) -> None:
        import pydbus
        from gi.repository import Gio, GLib

        # Not pydbus.SystemBus(), which belongs to the whole process and cannot be closed.
        self._bus = pydbus.connect(Gio.dbus_address_get_for_bus_sync(Gio.BusType.SYSTEM))

        def fired(
            _sender: str, path: str, _iface: str, _signal: str, values: tuple[str, Mapping[str, Any], Any]
        ) -> None:
            self._note_failure(path, values[1].get("StateReason"))
            announce()

        self._bus.get(NAME)
        self._bus.subscribe(sender=NAME, iface=PROPERTIES, signal="PropertiesChanged", signal_fired=fired)
        self._main_loop = GLib.MainLoop()
        self._signals.start()

    def _disconnect(self) -> None:
        """GLib must not call Python after this: a call after Python's end is a crash."""
        from gi.repository import GLib

        GLib.idle_add(self._main_loop.quit)  # from inside the loop: before it runs, quit() would be forgotten
        self._signals.join()
        if not self._bus.con.is_closed():
            self._bus.con.close_sync()

    def _note_failure(self, path: str, change: tuple[int, int] | None) -> None:
        """Remember why activation of the device at `path` failed: its state FAILED lasts only a moment.

        change: its new state and the reason; None: unknown.
        """
        state, reason = change or (0, 0)
        if state == DEVICE_FAILED:
            self._failures[path] = reason
        elif state == DEVICE_ACTIVATED:
            self._failures.pop(path, None)

    def _devices(self) -> tuple[Device, ...]:
        return tuple(device for path in self._bus.get(NAME)[NAME].Devices if (device := self._device(path)))

    def _profiles(self) -> frozenset[str]:
        settings = self._bus.get(NAME, "Settings")[SETTINGS]
        return frozenset(self._uuid(path) for path in settings.Connections)

    def _manager(self) -> Any:
        return self._bus.get(NAME)[NAME]

    def _apply(self, connections: Mapping[str, Settings]) -> None:
        settings = self._bus.get(NAME, "Settings")[SETTINGS]
        known = {self._uuid(path): path for path in settings.Connections}
        for uuid, requested in connections.items():
            variants = {name: {key: variant(value) for key, value in keys.items()} for name, keys in requested.items()}
            if uuid in known:
                self._bus.get(NAME, known[uuid])[f"{SETTINGS}.Connection"].Update2(variants, TO_DISK, {})
            else:
                known[uuid], _ = settings.AddConnection2(variants, TO_DISK, {})
        for uuid, requested in connections.items():
            if "master" not in requested["connection"]:
                self._manager().ActivateConnection(known[uuid], NOTHING, NOTHING)

    def _forget(self, uuid: str) -> None:
        for path in self._bus.get(NAME, "Settings")[SETTINGS].Connections:
            if self._uuid(path) == uuid:
                self._bus.get(NAME, path)[f"{SETTINGS}.Connection"].Delete()

    def _uuid(self, path: str) -> str:
        return str(self._bus.get(NAME, path)[f"{SETTINGS}.Connection"].GetSettings()["connection"]["uuid"])

    def _device(self, path: str) -> Device | None:
        """None when it was removed meanwhile."""
        from gi.repository import GLib

        try:
            device = self._bus.get(NAME, path)[DEVICE]
            _, reason = device.StateReason
            reason = self._failures.get(path, reason)
            return Device(device.Interface, device.State, reason, self._active_uuid(device.ActiveConnection))
        except (GLib.Error, KeyError):
            return None

    def _active_uuid(self, path: str) -> str:
        if path == NOTHING:
            return ""
        active = self._bus.get(NAME, path)[ACTIVE]
        return str(active.Uuid) if active.State == CONNECTION_ACTIVATED else ""


def variant(typed: Typed) -> Any:
    """A value for D-Bus' type v."""
    from gi.repository import GLib

    signature, value = typed
    if signature == "aa{sv}":
        value = [{key: variant(inner) for key, inner in entry.items()} for entry in value]
    return GLib.Variant(signature, value)
