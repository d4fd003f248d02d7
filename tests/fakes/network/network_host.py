"""A host of its own inside this machine: namespaces, a root of its own, a D-Bus, and the real NetworkManager.

Nothing outside is touched: its root is an overlay over this machine's or over the live image's, and the other end of
its cables lies in a second namespace. It has no disks, so no program of a test can find this machine's.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from gi.repository import Gio, GLib

from image_build.cache import Cache
from tests.fakes.network.namespaces import child_of, first_process, in_network_of
from tests.paths import REPOSITORY

THIS_MACHINE = Path("/")
SWITCH = "switch"

# With a read-only /sys NetworkManager does not wait for a udevd that is not there.
INIT = """
set -e
mount -t tmpfs tmpfs /run
mkdir -p /run/upper /run/work /run/root
mount -t overlay overlay -o "lowerdir=$ROOT,upperdir=/run/upper,workdir=/run/work" /run/root
cd /run/root
mount -t proc proc proc
mount -t sysfs sysfs sys
mount --bind sys/devices sys/devices
mount -o remount,ro sys
for empty in sys/block sys/class/block dev run tmp; do mount -t tmpfs tmpfs "$empty"; done
for shared in $SHARED; do mkdir -p ".$shared" && mount --bind -o ro "$shared" ".$shared"; done
for node in null:3 zero:5 full:7 random:8 urandom:9; do mknod -m 0666 "dev/${node%:*}" c 1 "${node#*:}"; done
rm -f etc/machine-id && tr -d - </proc/sys/kernel/random/uuid >etc/machine-id
rm -rf etc/NetworkManager && mkdir -p etc/NetworkManager run/dbus
printf '[main]\\nplugins=keyfile\\nauth-polkit=false\\nno-auto-default=*\\nrc-manager=unmanaged\\n' \\
    >etc/NetworkManager/NetworkManager.conf
ip link set lo up
exec chroot . dbus-daemon --system --nofork --nopidfile --nosyslog --print-address
"""


@dataclass(frozen=True)
class NetworkHost:
    """`pid` is the first process of the host's namespaces, `switch_pid` that of the other end of its cables: a switch,
    which hosts may share."""

    pid: int
    switch_pid: int
    python: str

    def at(self, path: str) -> Path:
        """A path as the host sees it."""
        return Path(f"/proc/{self.pid}/root") / path.lstrip("/")

    def run(self, *argv: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(self._inside(*argv), check=False, capture_output=True, text=True)

    def agent(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """`cluster0-agent ARGUMENTS` on this host."""
        return self.run(self.python, "-m", "agent", *arguments)

    def plug_nic(self, name: str, mac: str) -> None:
        """A NIC with this MAC, its cable plugged in."""
        port = self._port(name)
        peer = ("peer", "name", name, "address", mac, "netns", f"{self.pid}")
        in_network_of(self.switch_pid, "ip", "link", "add", port, "type", "veth", *peer)
        in_network_of(self.switch_pid, "ip", "link", "set", port, "master", SWITCH, "up")

    def unplug_cable(self, name: str) -> None:
        in_network_of(self.switch_pid, "ip", "link", "set", self._port(name), "down")

    def plug_cable_in(self, name: str) -> None:
        in_network_of(self.switch_pid, "ip", "link", "set", self._port(name), "up")

    def _port(self, name: str) -> str:
        return f"p{self.pid}-{name}"

    def another_host_has(self, address: str) -> str:
        """A machine on the switch has this address long enough to defend it; returns its MAC."""
        had_before = ("nodad",) if ":" in address else ()
        in_network_of(self.switch_pid, "ip", "address", "add", address, "dev", SWITCH, *had_before)
        link = ["nsenter", f"--target={self.switch_pid}", "--net", "--", "ip", "-json", "link", "show", SWITCH]
        shown = subprocess.run(link, check=True, capture_output=True, text=True)
        return str(json.loads(shown.stdout)[0]["address"])

    def plug_cable_to(self, other: NetworkHost, name: str) -> None:
        """A cable from here to `other`, `name` at both ends, up."""
        peer = ("peer", "name", name, "netns", f"{other.pid}")
        in_network_of(self.pid, "ip", "link", "add", name, "type", "veth", *peer)
        for host in (self, other):
            in_network_of(host.pid, "ip", "link", "set", name, "up")

    @contextmanager
    def wire_to(self, other: NetworkHost, *faults: str) -> Iterator[None]:
        """A cable to `other` with these faults (options of `tests.fakes.network.wire`), eth0 at both ends, up."""
        inside = ["nsenter", f"--target={self.switch_pid}", "--net", "--"]
        wire = [*inside, sys.executable, "-m", "tests.fakes.network.wire"]
        with subprocess.Popen(
            [*wire, f"{self.pid}", f"{other.pid}", *faults], cwd=REPOSITORY, stdout=subprocess.PIPE, text=True
        ) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            for host in (self, other):
                in_network_of(host.pid, "ip", "link", "set", "eth0", "up")
            try:
                yield
            finally:
                process.kill()

    @contextmanager
    def network_manager(self) -> Iterator[None]:
        with self.starting_network_manager():
            self.wait_for_networkmanager()
            yield

    def starting_network_manager(self) -> AbstractContextManager[int]:
        return self.daemon("NetworkManager", "--no-daemon", log="/run/NetworkManager.log")

    def wait_for_networkmanager(self) -> None:
        """Until it answers for its profiles."""
        self.wait_on_bus(_answers)

    def wait_on_bus(self, holds: Callable[[Any], bool]) -> None:
        """Wait until `holds(bus)`; every message on the system bus is a reason to check."""
        flags = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION
        bus = Gio.DBusConnection.new_for_address_sync(f"unix:path={self.at('/run/dbus/system_bus_socket')}", flags)
        bus.signal_subscribe(None, None, None, None, None, Gio.DBusSignalFlags.NONE, lambda *_: None)
        while not holds(bus):
            GLib.MainContext.default().iteration(True)
        bus.close_sync()

    @contextmanager
    def process(self, *argv: str) -> Iterator[subprocess.Popen[bytes]]:
        """A program on this host that is to end by itself within the block."""
        with subprocess.Popen(self._inside(*argv)) as process:
            try:
                yield process
            finally:
                if process.poll() is None:
                    os.kill(child_of(process), signal.SIGKILL)

    @contextmanager
    def conversation(self, *argv: str) -> Iterator[Callable[[str], str]]:
        """A program of the host that answers a line with a line; it ends when the block does."""
        with subprocess.Popen(
            self._inside(*argv), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        ) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            to, back = process.stdin, process.stdout

            def ask(line: str) -> str:
                to.write(f"{line}\n")
                return back.readline()

            yield ask

    @contextmanager
    def daemon(self, *argv: str, log: str, path: str = "") -> Iterator[int]:
        """`argv` on this host for as long as the block runs; gives its pid. `path` goes before PATH."""
        environment = {**os.environ, "PATH": f"{path}:{os.environ['PATH']}"}
        with (
            self.at(log).open("w") as output,
            subprocess.Popen(self._inside(*argv), env=environment, stdout=output, stderr=output) as nsenter,
        ):
            pid = child_of(nsenter)
            try:
                yield pid
            finally:
                os.kill(pid, signal.SIGTERM)

    def _inside(self, *argv: str) -> list[str]:
        namespaces = ["--mount", "--net", "--uts", "--ipc", "--pid", "--root"]
        return ["nsenter", f"--target={self.pid}", *namespaces, "--", "env", f"--chdir={REPOSITORY}", *argv]


@contextmanager
def network_switch() -> Iterator[int]:
    """The pid of a namespace with a switch in it, for `network_host`."""
    made = f"ip link add {SWITCH} type bridge && ip link set {SWITCH} up && echo ready; exec sleep infinity"
    with first_process(["unshare", "--net", "--fork", "sh", "-c", made], dict(os.environ)) as pid:
        yield pid


@contextmanager
def network_host(root: Path = THIS_MACHINE, *, switch_pid: int = 0) -> Iterator[NetworkHost]:
    """A host without a NIC yet, with the programs that `root` has; our code comes from the checkout. Needs root.
    Without a `switch_pid` it gets a switch of its own."""
    is_this = root == THIS_MACHINE
    shared = [REPOSITORY, Path(sys.prefix)] if is_this else [REPOSITORY]
    environment = {**os.environ, "ROOT": f"{root}", "SHARED": " ".join(map(str, shared))}
    host = ["unshare", "--net", "--mount", "--pid", "--uts", "--ipc", "--fork", "sh", "-c", INIT]
    with ExitStack() as stack:
        switch = switch_pid or stack.enter_context(network_switch())
        pid = stack.enter_context(first_process(host, environment))
        yield NetworkHost(pid, switch, sys.executable if is_this else "/usr/bin/python3")


def live_image_root() -> Path | None:
    """Debian 13 with the live image's packages, where an image build has left one in the cache."""
    entries = (Cache.of_user().root / "debian-root").glob("*/root")
    return max(entries, key=lambda root: root.stat().st_mtime, default=None)


_LIVE_IMAGE = pytest.param(
    live_image_root(),
    id="live-image",
    marks=pytest.mark.skipif(live_image_root() is None, reason="no image build has left a root in the cache"),
)
LIVE_ROOT = pytest.mark.parametrize("root", [_LIVE_IMAGE])
"""For tests that use `root`: NetworkManager, keepalived and Python that the live image has."""
BOTH_ROOTS = pytest.mark.parametrize("root", [pytest.param(THIS_MACHINE, id="this-machine"), _LIVE_IMAGE])
"""The same, and those of this machine."""


def _answers(bus: Any) -> bool:
    name, path = "org.freedesktop.NetworkManager", "/org/freedesktop/NetworkManager/Settings"
    try:
        bus.call_sync(name, path, f"{name}.Settings", "ListConnections", None, None, Gio.DBusCallFlags.NONE, 10_000)
    except GLib.Error:
        return False
    return True
