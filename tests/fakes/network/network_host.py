"""A host inside this machine, made of Linux namespaces, with its own root, D-Bus and real NetworkManager.

It does not change this machine: its root is an overlay over this machine's root or the live image's, and its cables end
in a second network namespace. It has no disks, so that no program of a test finds the disks of this machine.
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
exec chroot . dbus-daemon --system --nofork --nopidfile --nosyslog --print-address 2>run/dbus.log
"""


@dataclass(frozen=True)
class NetworkHost:
    """A running host.

    pid: the first process in its namespaces. switch_pid: the first process in the namespace of its switch, where its
    cables end; hosts may share a switch. python: path of the interpreter that runs the agent.
    """

    pid: int
    switch_pid: int
    python: str

    def at(self, path: str) -> Path:
        """The path on this machine of the host's `path`."""
        return Path(f"/proc/{self.pid}/root") / path.lstrip("/")

    def run(self, *argv: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(self._inside(*argv), check=False, capture_output=True, text=True)

    def agent(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """`cluster0-agent ARGUMENTS` on this host."""
        return self.run(self.python, "-m", "agent", *arguments)

    def plug_nic(self, name: str, mac: str) -> None:
        """Add a NIC with this MAC, connected to the switch."""
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

    def add_address_conflict(self, address: str) -> str:
        """Give `address` (with prefix length) to the switch, which then defends it; returns the switch's MAC."""
        no_dad = ("nodad",) if ":" in address else ()  # no tentative state
        in_network_of(self.switch_pid, "ip", "address", "add", address, "dev", SWITCH, *no_dad)
        link = ["nsenter", f"--target={self.switch_pid}", "--net", "--", "ip", "-json", "link", "show", SWITCH]
        shown = subprocess.run(link, check=True, capture_output=True, text=True)
        return str(json.loads(shown.stdout)[0]["address"])

    def plug_cable_to(self, other: NetworkHost, name: str) -> None:
        """Connect this host to `other` directly: a NIC called `name` in both, up."""
        peer = ("peer", "name", name, "netns", f"{other.pid}")
        in_network_of(self.pid, "ip", "link", "add", name, "type", "veth", *peer)
        for host in (self, other):
            in_network_of(host.pid, "ip", "link", "set", name, "up")

    @contextmanager
    def faulty_cable_to(self, other: NetworkHost, *faults: str) -> Iterator[None]:
        """A cable to `other` with `faults` (options of `tests.fakes.network.wire`): a NIC called eth0 in both, up."""
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
        """Wait until NetworkManager lists its profiles over D-Bus."""
        self.wait_on_bus(_lists_profiles)

    def wait_on_bus(self, condition: Callable[[Any], bool]) -> None:
        """Wait until `condition(bus)` is true. It is checked after every message on the system bus."""
        flags = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION
        bus = Gio.DBusConnection.new_for_address_sync(f"unix:path={self.at('/run/dbus/system_bus_socket')}", flags)
        bus.signal_subscribe(None, None, None, None, None, Gio.DBusSignalFlags.NONE, lambda *_: None)
        while not condition(bus):
            GLib.MainContext.default().iteration(True)
        bus.close_sync()

    @contextmanager
    def process(self, *argv: str) -> Iterator[subprocess.Popen[bytes]]:
        """Run a program on this host; it is killed if it still runs when the block ends."""
        with subprocess.Popen(self._inside(*argv)) as process:
            try:
                yield process
            finally:
                if process.poll() is None:
                    os.kill(child_of(process), signal.SIGKILL)

    @contextmanager
    def answering_process(self, *argv: str) -> Iterator[Callable[[str], str]]:
        """A program on this host that answers each line with a line. Gives a function that sends a line and returns the
        answer. The program ends with its standard input, when the block ends."""
        with subprocess.Popen(
            self._inside(*argv), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        ) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            stdin, stdout = process.stdin, process.stdout

            def ask(line: str) -> str:
                stdin.write(f"{line}\n")
                return stdout.readline()

            yield ask

    @contextmanager
    def daemon(self, *argv: str, log: str, path: str = "") -> Iterator[int]:
        """Run `argv` on this host until the block ends; gives its pid. `path` is put before PATH."""
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
    """A network namespace with a bridge as switch; gives the pid of its process, for `network_host`."""
    made = f"ip link add {SWITCH} type bridge && ip link set {SWITCH} up && echo ready; exec sleep infinity"
    with first_process(["unshare", "--net", "--fork", "sh", "-c", made], dict(os.environ)) as pid:
        yield pid


@contextmanager
def network_host(root: Path = THIS_MACHINE, *, switch_pid: int = 0) -> Iterator[NetworkHost]:
    """A host without NICs. Its programs come from `root`, our code from the checkout. Needs root privileges.

    switch_pid: from `network_switch`; 0: it gets its own switch.
    """
    is_this = root == THIS_MACHINE
    shared = [REPOSITORY, Path(sys.prefix)] if is_this else [REPOSITORY]
    environment = {**os.environ, "ROOT": f"{root}", "SHARED": " ".join(map(str, shared))}
    host = ["unshare", "--net", "--mount", "--pid", "--uts", "--ipc", "--fork", "sh", "-c", INIT]
    with ExitStack() as stack:
        switch = switch_pid or stack.enter_context(network_switch())
        pid = stack.enter_context(first_process(host, environment))
        yield NetworkHost(pid, switch, sys.executable if is_this else "/usr/bin/python3")


def live_image_root() -> Path | None:
    """The root of Debian 13 with the live image's packages that the last image build left in the cache; None: none."""
    entries = (Cache.of_user().root / "debian-root").glob("*/root")
    return max(entries, key=lambda root: root.stat().st_mtime, default=None)


_LIVE_IMAGE = pytest.param(
    live_image_root(),
    id="live-image",
    marks=pytest.mark.skipif(live_image_root() is None, reason="no Debian root in the cache: run `make image`"),
)
LIVE_ROOT = pytest.mark.parametrize("root", [_LIVE_IMAGE])
"""Parametrizes `root`: the test runs with NetworkManager, keepalived and Python of the live image."""
BOTH_ROOTS = pytest.mark.parametrize("root", [pytest.param(THIS_MACHINE, id="this-machine"), _LIVE_IMAGE])
"""Parametrizes `root`: the test runs with the programs of this machine, and with those of the live image."""


def _lists_profiles(bus: Any) -> bool:
    name, path = "org.freedesktop.NetworkManager", "/org/freedesktop/NetworkManager/Settings"
    try:
        bus.call_sync(name, path, f"{name}.Settings", "ListConnections", None, None, Gio.DBusCallFlags.NONE, 10_000)
    except GLib.Error:
        return False
    return True
