"""The process that is one container host, from power-on to power-off: firmware, boot loader, initramfs.

usage: python -m vm_harness.container.runner SPECIFICATION, in a mount namespace of its own.
"""

from __future__ import annotations

import os
import selectors
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec

from agent.machine.files import Files
from agent.model.problems import Problem
from vm_harness.container import boot_choice, network, nspawn, root_file_system
from vm_harness.container.boot_choice import Boot, Source
from vm_harness.container.console import SerialConsole
from vm_harness.container.control_groups import ControlGroup, Hierarchies
from vm_harness.container.device_filter import DeviceFilter
from vm_harness.container.device_view import DeviceView
from vm_harness.container.machine import ContainerMachine, Outcome
from vm_harness.container.mounts import Mounts
from vm_harness.container.quirks import INSIDE
from vm_harness.container.uevents import Uevents


class Runner:
    def __init__(self, machine: ContainerMachine) -> None:
        self.machine = machine
        self._hierarchies = Hierarchies.of_this_computer()
        self._group = ControlGroup(self._hierarchies, machine.lab, machine.name)
        self._group.renew()
        self._group.join()
        self.console = SerialConsole(machine.serial_log, machine.console_socket)
        self._selector = selectors.DefaultSelector()
        self.console.serve(self._selector)
        self._lab = Mounts(machine.runtime).mount("tmpfs", "tmpfs", "lab", "mode=0755,size=16m")
        self._write_lab_files()
        self._uevents = Uevents()
        self._selector.register(self._uevents.socket, selectors.EVENT_READ, self._follow_devices)
        self._view = DeviceView(self._lab / "view", DeviceFilter(self._group.inside))
        self._view.show_disk(machine.disk.name)
        numbers = machine.medium.stat().st_rdev
        self._view.allow_node(machine.medium.name, os.major(numbers), os.minor(numbers))

    def run(self) -> Outcome:
        """Boot until the system inside switches the machine off. Raises `Problem` (`container-failed` and others)."""
        while True:
            exit_code = self._boot()
            if exit_code == 0:
                self.console.print("reboot: Power down")
                return Outcome()
            if exit_code != nspawn.REBOOTED:
                raise Problem(code="container-failed", title=f"its first process ended with exit code {exit_code}")
            self.console.print("reboot: Restarting system")

    def _boot(self) -> int:
        """One boot; the exit code of systemd-nspawn."""
        machine = self.machine
        self.console.print(f"{machine.name}: power-on self-test of a container: {machine.memory_mib} MiB of memory")
        mounts = Mounts(machine.runtime)
        self._group.clear()
        try:
            boot = boot_choice.choose(machine.disk, machine.medium, mounts)
            self.console.print(f"booting from {boot.source}: {boot.reason}")
            while boot.source is Source.NOTHING:
                self._serve_once()
            file = machine.runtime / "network"
            network.make_namespace(file)
            network.plug_in(machine.namespace, file, machine.number, machine.macs, machine.bridges)
            return self._start(boot, file, mounts)
        finally:
            mounts.unmount_all()

    def _start(self, boot: Boot, network_file: Path, mounts: Mounts) -> int:
        machine = self.machine
        (self._lab / "cmdline").write_text(f"BOOT_IMAGE=/vmlinuz {boot.arguments}\n")
        release = os.uname().release
        self.console.print(f"[    0.000000] Linux version {release} (of this computer: this host is a container)")
        root = root_file_system.assemble(boot, machine.disk, machine.medium, mounts, machine.memory_mib << 20)
        for found in root.quirks:
            self.console.print(f"lab: {found}")
        argv = nspawn.argv(
            f"{machine.lab}-{machine.name}"[:64], root.root, network_file, self._lab, self.console.path, root.binds,
            boot.arguments, self._hierarchies,
        )  # fmt: skip
        streams = self.console.slave
        environment = os.environ | nspawn.environment(self._hierarchies)
        with subprocess.Popen(
            self._group.joining(argv), stdin=streams, stdout=streams, stderr=streams, env=environment
        ) as process:
            ended = os.pidfd_open(process.pid)
            self._selector.register(ended, selectors.EVENT_READ, lambda: None)
            try:
                while process.poll() is None:
                    self._serve_once()
            finally:
                self._selector.unregister(ended)
                os.close(ended)
            return process.returncode

    def _serve_once(self) -> None:
        for key, _ in self._selector.select():
            serve: Callable[[], None] = key.data
            serve()

    def _follow_devices(self) -> None:
        for event in self._uevents.pending():
            self._view.follow(event, self.machine.disk.name)

    def _write_lab_files(self) -> None:
        shutil.copy(INSIDE / "init", self._lab / "init")
        (self._lab / "view").mkdir()
        dmi = self._lab / "dmi"
        dmi.mkdir()
        serial = f"{self.machine.lab}-{self.machine.name}"
        for name, value in {"sys_vendor": "cluster0", "product_name": "container", "board_serial": serial}.items():
            (dmi / name).write_text(f"{value}\n")


def main(specification: Path) -> None:
    machine = msgspec.json.decode(
        specification.read_bytes(), type=ContainerMachine, dec_hook=lambda kind, value: kind(value)
    )
    runner = Runner(machine)
    try:
        outcome = runner.run()
    except Problem as problem:
        runner.console.print(f"lab: {problem}")
        outcome = Outcome(failure=problem.title)
    Files(machine.runtime).write(machine.outcome.name, msgspec.json.encode(outcome))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
