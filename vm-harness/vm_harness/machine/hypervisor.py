"""The lab's own libvirtd, through python3-libvirt. It knows domains by name, and nothing of clusters.

Its socket is a path, so a client need not be in the lab's network namespace.
"""

from __future__ import annotations

from pathlib import Path

from agent.model.problems import Problem
from cli.command import run
from vm_harness.machine.libvirt_events import LifecycleEvents
from vm_harness.machine.lifecycle import Paused, PowerState, State
from vm_harness.processes import ProcessId

try:
    import libvirt
except ImportError:  # A Debian package, not a wheel; the rest of `cluster0` works without it.
    libvirt = None


def _ignore(_context: object, _error: object) -> None:
    """libvirt prints every error unless a handler is registered; ours are raised."""


class Hypervisor:
    """A connection. Errors of libvirt become `Problem` (`libvirt`) with its own message."""

    def __init__(self, runtime: Path) -> None:
        if libvirt is None:
            raise Problem(
                code="libvirt-missing",
                title="this Python cannot import libvirt",
                remedy="apt-get install python3-libvirt",
            )
        libvirt.registerErrorHandler(_ignore, None)
        self._runtime = runtime
        self.uri = uri(runtime)
        try:
            self._connection = libvirt.open(self.uri)
        except libvirt.libvirtError as error:
            raise _problem("cannot reach the lab's libvirtd", error) from error
        try:
            self.events = LifecycleEvents(self._connection)
        except libvirt.libvirtError as error:
            self._connection.close()
            raise _problem("cannot follow the lab's machines", error) from error

    def close(self) -> None:
        self.events.close()
        self._connection.close()

    def define(self, xml: str) -> None:
        try:
            self._connection.defineXML(xml)
        except libvirt.libvirtError as error:
            raise _problem("libvirt refuses a machine", error) from error

    def start(self, name: str) -> None:
        try:
            self._domain(name).create()
        except libvirt.libvirtError as error:
            raise _problem(f"{name} does not start", error) from error

    def power_state(self, name: str) -> PowerState:
        """State and reason; for a pause of QEMU's own, also QEMU's `info status`."""
        try:
            state, reason = self._domain(name).state()
        except libvirt.libvirtError as error:
            raise _problem(f"{name}: its state is not known", error) from error
        if (state, reason) != (State.PAUSED, Paused.UNKNOWN):
            return PowerState(state, reason)
        try:
            return PowerState(state, reason, self._qemu_monitor(name, "info status"))
        except Problem:  # QEMU may not answer any more; that it is paused is enough.
            return PowerState(state, reason)

    def process(self, name: str) -> ProcessId | None:
        """The machine's QEMU; None when it is off. libvirt keeps the id in its private /run/libvirt."""
        try:
            return ProcessId.of(int((self._runtime / "run/qemu" / f"{name}.pid").read_text()))
        except (FileNotFoundError, ProcessLookupError):
            return None

    def destroy(self, name: str) -> None:
        """Switch off at once, unless it is off. Returns when libvirt knows it as off."""
        domain = self._domain(name)
        try:
            domain.destroy()
        except libvirt.libvirtError as error:
            if domain.isActive():
                raise _problem(f"{name} cannot be switched off", error) from error

    def destroy_all(self) -> None:
        for domain in self._connection.listAllDomains():
            if domain.isActive():
                self.destroy(domain.name())

    def change_medium(self, name: str, device: str) -> None:
        """Put another medium into the CD drive; `device` is the drive's XML."""
        domain = self._domain(name)
        # By force: a guest under emulation may not open the tray in time.
        by_force = libvirt.VIR_DOMAIN_DEVICE_MODIFY_FORCE
        try:
            domain.updateDeviceFlags(device, _now_and_later(domain) | by_force)
        except libvirt.libvirtError as error:
            raise _problem(f"{name}: the medium cannot be changed", error) from error

    def unplug(self, name: str, device: str) -> None:
        """Unplug a device; `device` is its XML."""
        domain = self._domain(name)
        try:
            domain.detachDeviceFlags(device, _now_and_later(domain))
        except libvirt.libvirtError as error:
            raise _problem(f"{name}: the device cannot be unplugged", error) from error

    def screenshot(self, name: str, image: Path) -> None:
        """The VGA's content, as PNG."""
        stream = self._connection.newStream()
        try:
            self._domain(name).screenshot(stream, 0)
            with image.open("wb") as file:
                stream.recvAll(lambda _stream, data, target: target.write(data), file)
            stream.finish()
        except libvirt.libvirtError as error:
            raise _problem(f"{name}: no screenshot", error) from error

    def registers(self, name: str) -> str:
        """QEMU's `info registers` of each virtual CPU, for a guest that hangs."""
        return self._qemu_monitor(name, "info registers -a")

    def _qemu_monitor(self, name: str, command: str) -> str:
        argv = ["virsh", "-c", self.uri, "qemu-monitor-command", name, "--hmp", command]
        return run(argv, timeout=30).stdout.strip()

    def _domain(self, name: str) -> libvirt.virDomain:
        try:
            return self._connection.lookupByName(name)
        except libvirt.libvirtError as error:
            is_there = self._connection.isAlive()
            title = f"the lab has no machine {name}" if is_there else "the lab's libvirtd is gone"
            raise _problem(title, error) from error


def uri(runtime: Path) -> str:
    """The connection URI, also for `virsh -c`."""
    return f"qemu+unix:///system?socket={runtime}/libvirt-sock"


def _now_and_later(domain: libvirt.virDomain) -> int:
    """libvirt's flags for a change that a power cycle keeps; a machine that is off only has its definition."""
    return int(libvirt.VIR_DOMAIN_AFFECT_CONFIG | (libvirt.VIR_DOMAIN_AFFECT_LIVE if domain.isActive() else 0))


def _problem(title: str, error: libvirt.libvirtError) -> Problem:
    return Problem(code="libvirt", title=title, detail=error.get_error_message() or str(error))
