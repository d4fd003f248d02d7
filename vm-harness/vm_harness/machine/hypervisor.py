"""The lab's own libvirtd, spoken to through python3-libvirt. Knows domains by name, nothing of clusters.

Its socket is a path, so nobody has to enter the namespace to use it.
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
except ImportError:  # It comes from Debian, not from a wheel; the rest of `cluster0` works without.
    libvirt = None


def _ignore(_context: object, _error: object) -> None:
    """libvirt prints every error unless told otherwise; ours are raised."""


class Hypervisor:
    """A connection. Errors of libvirt become `Problem` (`libvirt`), with its own words."""

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
        """Whether it runs, and why not; of a machine that QEMU has paused by itself, what QEMU says of it."""
        try:
            state, reason = self._domain(name).state()
        except libvirt.libvirtError as error:
            raise _problem(f"{name}: its state is not known", error) from error
        if (state, reason) != (State.PAUSED, Paused.UNKNOWN):
            return PowerState(state, reason)
        try:
            return PowerState(state, reason, self._monitor(name, "info status"))
        except Problem:  # QEMU may be past answering; that it is paused is what counts.
            return PowerState(state, reason)

    def process(self, name: str) -> ProcessId | None:
        """QEMU of the machine, None when it is off. libvirt keeps the id in its private /run/libvirt."""
        try:
            return ProcessId.of(int((self._runtime / "run/qemu" / f"{name}.pid").read_text()))
        except (FileNotFoundError, ProcessLookupError):
            return None

    def destroy(self, name: str) -> None:
        """Switch off at once. Fine when it is off. Returns when libvirt knows it too."""
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
        try:
            self._domain(name).updateDeviceFlags(
                # By force, as a hand pulls a stick: a guest under emulation may not open the tray in time.
                device,
                libvirt.VIR_DOMAIN_AFFECT_LIVE
                | libvirt.VIR_DOMAIN_AFFECT_CONFIG
                | libvirt.VIR_DOMAIN_DEVICE_MODIFY_FORCE,
            )
        except libvirt.libvirtError as error:
            raise _problem(f"{name}: the medium cannot be changed", error) from error

    def unplug(self, name: str, device: str) -> None:
        """Pull a device out; `device` is its XML."""
        try:
            self._domain(name).detachDeviceFlags(
                device, libvirt.VIR_DOMAIN_AFFECT_LIVE | libvirt.VIR_DOMAIN_AFFECT_CONFIG
            )
        except libvirt.libvirtError as error:
            raise _problem(f"{name}: the device cannot be unplugged", error) from error

    def screenshot(self, name: str, picture: Path) -> None:
        """What the VGA shows, as PNG."""
        stream = self._connection.newStream()
        try:
            self._domain(name).screenshot(stream, 0)
            with picture.open("wb") as file:
                stream.recvAll(lambda _stream, data, target: target.write(data), file)
            stream.finish()
        except libvirt.libvirtError as error:
            raise _problem(f"{name}: no screenshot", error) from error

    def registers(self, name: str) -> str:
        """Where each virtual CPU is, in QEMU's words: of a guest that neither speaks nor dies."""
        return self._monitor(name, "info registers -a")

    def _monitor(self, name: str, question: str) -> str:
        ask = ["virsh", "-c", self.uri, "qemu-monitor-command", name, "--hmp", question]
        return run(ask, timeout=30).stdout.strip()

    def _domain(self, name: str) -> libvirt.virDomain:
        try:
            return self._connection.lookupByName(name)
        except libvirt.libvirtError as error:
            is_there = self._connection.isAlive()
            title = f"the lab has no machine {name}" if is_there else "the lab's libvirtd is gone"
            raise _problem(title, error) from error


def uri(runtime: Path) -> str:
    """Where to connect, for `virsh -c` too."""
    return f"qemu+unix:///system?socket={runtime}/libvirt-sock"


def _problem(title: str, error: libvirt.libvirtError) -> Problem:
    return Problem(code="libvirt", title=title, detail=error.get_error_message() or str(error))
