"""libvirt's lifecycle events as a file descriptor, for waits together with consoles and processes."""

from __future__ import annotations

import contextlib
import os
import threading
from typing import Any

try:
    import libvirt
except ImportError:  # See vm_harness.machine.hypervisor.
    libvirt = None
else:
    libvirt.virEventRegisterDefaultImpl()  # Once, and before the first connection.


class _EventLoop:
    """libvirt's event loop: one for the whole process, run by a thread while a connection listens."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._listeners = 0
        self._thread: threading.Thread | None = None
        self._wake_up = -1

    def enter(self) -> None:
        with self._lock:
            self._listeners += 1
            if self._listeners == 1:
                self._wake_up = libvirt.virEventAddTimeout(-1, lambda *_: None, None)
                self._thread = threading.Thread(target=self._run, name="libvirt-events", daemon=True)
                self._thread.start()

    def leave(self) -> None:
        with self._lock:
            self._listeners -= 1
            if self._listeners == 0 and self._thread:
                libvirt.virEventUpdateTimeout(self._wake_up, 0)
                self._thread.join()
                libvirt.virEventRemoveTimeout(self._wake_up)

    def _run(self) -> None:
        while self._listeners:
            with contextlib.suppress(libvirt.libvirtError):  # After one error, later events must still arrive.
                libvirt.virEventRunDefaultImpl()


_LOOP = _EventLoop()


class LifecycleEvents:
    """`descriptor` is readable when the power of any machine has changed since `clear`, or libvirtd is gone.

    `count`: events so far. They do not carry the machine's new state; `Hypervisor.power_state` returns it.
    """

    def __init__(self, connection: libvirt.virConnect) -> None:
        self._connection = connection
        self._lock = threading.Lock()
        self._is_closed = False
        self.count = 0
        self.descriptor = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        try:
            self._registration = connection.domainEventRegisterAny(
                None, libvirt.VIR_DOMAIN_EVENT_ID_LIFECYCLE, self._on_event, None
            )
            connection.registerCloseCallback(self._on_event, None)
        except libvirt.libvirtError:
            os.close(self.descriptor)
            raise
        _LOOP.enter()

    def clear(self) -> None:
        with contextlib.suppress(BlockingIOError):
            os.eventfd_read(self.descriptor)

    def close(self) -> None:
        """May be called again."""
        if self._is_closed:
            return
        with contextlib.suppress(libvirt.libvirtError):  # libvirtd may be gone.
            self._connection.domainEventDeregisterAny(self._registration)
            self._connection.unregisterCloseCallback()
        _LOOP.leave()
        with self._lock:
            self._is_closed = True
            os.close(self.descriptor)

    def _on_event(self, *_event: Any) -> None:
        """Called by the loop's thread, possibly while another thread closes the descriptor."""
        with self._lock:
            if not self._is_closed:
                self.count += 1
                os.eventfd_write(self.descriptor, 1)
