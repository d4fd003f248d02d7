"""A lab from request to result: `up` tells the story, `open_lab` finds a lab again, `down` ends it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec

from agent.model.intent import ClusterIntent
from agent.model.problems import Problem
from cli.cluster_directory import ISO
from cli.command import Finished, run
from cli.progress import say, step
from vm_harness.guest.console import Console
from vm_harness.guest.node import Node
from vm_harness.guest.ssh import Ssh
from vm_harness.guest.watch import Watch
from vm_harness.lab import hosts, image, inputs, keys, leftovers, made_up
from vm_harness.lab import state as states
from vm_harness.lab.directories import Directories, cache
from vm_harness.lab.hosts import Host
from vm_harness.lab.request import LabRequest
from vm_harness.lab.state import LabState, Phase
from vm_harness.machine import accel, libvirtd, machines, preflight
from vm_harness.machine.accel import Acceleration, Verdict
from vm_harness.machine.domain import render
from vm_harness.machine.hypervisor import Hypervisor
from vm_harness.machine.power import Power
from vm_harness.machine.probe import live_system, verdicts
from vm_harness.machine.probe.live_system import LiveSystem
from vm_harness.machine.probe.verdicts import Verdicts
from vm_harness.network import link
from vm_harness.network.namespace import Namespace


class Lab:
    """A lab that is up. Any process may hold one; the machines do not depend on it."""

    def __init__(self, directories: Directories, state: LabState, namespace: Namespace) -> None:
        self.directories = directories
        self.state = state
        self.namespace = namespace
        self.hypervisor = Hypervisor(directories.runtime)
        try:
            self.watch, self.nodes = self._connect()
        except BaseException:
            self.hypervisor.close()
            raise

    @property
    def acceleration(self) -> Acceleration:
        return self.state.acceleration

    def node(self, name: str = "") -> Node:
        """The host `name`, by default the first one. Raises `Problem` (`no-such-host`)."""
        for node in self.nodes:
            if name in ("", node.name):
                return node
        known = ", ".join(node.name for node in self.nodes)
        raise Problem(code="no-such-host", title=f"the lab has no host {name}", remedy=f"It has: {known}.")

    def run(self, argv: Sequence[str | Path], *, timeout: float) -> Finished:
        """Run a program of this computer where the lab's addresses exist; its exit code is the caller's to judge.

        Raises `MachineFailed` when a machine fails meanwhile, and `Problem` (`command-timeout`).
        """
        return run(self.namespace.inside(argv), timeout=timeout, check=False, while_waiting=self.watch.check)

    def close(self) -> None:
        """Let go of libvirtd; the lab stays up. May be called again."""
        self.watch.close()
        self.hypervisor.close()

    def _connect(self) -> tuple[Watch, tuple[Node, ...]]:
        key = self.directories.ssh_key if self.state.accepts_lab_key else None
        runtime = self.directories.runtime
        powers, consoles = [], []
        for machine in self.state.machines:
            log = libvirtd.qemu_log(self.directories, machine.domain.name)
            powers.append(Power(machine, self.hypervisor, log))
            consoles.append(Console(powers[-1], machine.domain.serial_log))
        watch = Watch(consoles, self.hypervisor.events)
        return watch, tuple(
            Node(machine, self.hypervisor, power, console, watch, Ssh(self.namespace, machine.address, key, runtime))
            for machine, power, console in zip(self.state.machines, powers, consoles, strict=True)
        )


def up(request: LabRequest) -> Lab:
    """Bring up what `request` describes and boot it, until each kernel has started.

    Whatever ends this early, Ctrl-C included, leaves nothing behind but logs. Raises `Problem`: `lab-already-up`,
    `lab-busy`, `lab-preflight`, `MachineFailed`, and whatever a step finds.
    """
    directories = request.directories
    with states.locked(directories):
        _make_room(directories)
        intent = _intent(request)
        machines_to_make = hosts.of_intent(intent) if intent else made_up.hosts(request.topology)
        with step("preflight"):
            preflight.check(request, len(machines_to_make))
        iso = request.iso or _own_iso(request)
        with live_system.extracted(iso, directories.root / "live") as live:
            acceleration = _accelerate(request, live)
        state = LabState(
            id=directories.id, boot_id=states.boot_id(), phase=Phase.STARTING, acceleration=acceleration,
            accepts_lab_key=keys.is_accepted(directories, intent),
            machines=machines.plan(request, machines_to_make, iso, live, acceleration),
        )  # fmt: skip
        try:
            states.save(directories, state)
            return _start(request, machines_to_make, iso, state)
        except BaseException:
            with step("removing what was started"):
                leftovers.remove(directories)
            raise


def open_lab(directories: Directories) -> Lab:
    """The lab that is up in these directories. Raises `Problem` (`lab-not-up`)."""
    state = states.load(directories)
    if state is None or state.namespace is None or not state.is_up:
        raise Problem(
            code="lab-not-up",
            title=f"no lab is up in {directories.inputs}",
            remedy=f"Start one: cluster0 lab up --dir {directories.inputs}",
        )
    return Lab(directories, state, state.namespace)


def down(directories: Directories) -> bool:
    """End the lab, whole or half made. False when there was none."""
    if not leftovers.exist(directories):
        return False
    with states.locked(directories):
        leftovers.remove(directories)
    return True


@contextmanager
def opened(directories: Directories) -> Iterator[Lab]:
    """`open_lab` for as long as the block lasts."""
    lab = open_lab(directories)
    try:
        yield lab
    finally:
        lab.close()


def _make_room(directories: Directories) -> None:
    state = leftovers.recorded(directories)
    if state is not None and state.is_up:
        raise Problem(
            code="lab-already-up", title=f"a lab is up in {directories.inputs}",
            remedy=f"Use it, or end it with `cluster0 lab down --dir {directories.inputs}`.",
        )  # fmt: skip
    if leftovers.exist(directories):
        with step("removing what an interrupted lab left"):
            leftovers.remove(directories)
    directories.make()


def _intent(request: LabRequest) -> ClusterIntent | None:
    """Of the user's inputs, else of the topology's, which are written. None: inputs are missing, and an ISO is given.

    Raises as `inputs.read` does.
    """
    public_key = keys.ensure(request.directories)
    directory = request.directories.inputs
    if not inputs.are_present(directory):
        if request.iso:
            return None
        made_up.write(directory, request.topology, public_key)
        say(f"  wrote {' and '.join(inputs.CLUSTER_FILES)} into {directory}")
    return inputs.read(directory)


def _own_iso(request: LabRequest) -> Path:
    directory = request.directories.inputs
    if image.is_current(directory, request.base_iso):
        say(f"  {directory / ISO} is newer than its inputs: used as it is")
    else:
        image.create(directory, request.base_iso)
    return directory / ISO


def _accelerate(request: LabRequest, live: LiveSystem | None) -> Acceleration:
    known = Verdicts(cache())

    def probe() -> Verdict:
        verdict = verdicts.ask(machines.emulator(), live, known, boot_id=states.boot_id())
        if not verdict.kvm_works and known.file.exists():
            say(f"  KVM is not tried again until this computer restarts, or {known.file} is deleted")
        return verdict

    with step("acceleration") as running:
        acceleration, reason = accel.decide(request.wish, probe)
        running.note = f"{acceleration}, because {reason}"
    return acceleration


def _start(request: LabRequest, wanted: Sequence[Host], iso: Path, state: LabState) -> Lab:
    directories = request.directories
    with step("network namespace") as running:
        namespace = Namespace.create(leftovers.namespace_name(directories))
        state = msgspec.structs.replace(state, namespace=namespace)
        states.save(directories, state)
        address = machines.gateway(request, wanted)
        link.create_bridge(namespace, address)
        vlans = sorted({host.vlan for host in wanted if host.vlan is not None})
        link.create_trunks(namespace, vlans, directories.runtime)
        trunks = "".join(f", VLAN {vlan}" for vlan in vlans)
        running.note = f"{namespace.name}, {link.BRIDGE} has {address}{trunks}"
    with step("libvirtd"):
        state = msgspec.structs.replace(state, libvirtd=libvirtd.start(directories, namespace))
        states.save(directories, state)
    with step("machines") as running:
        machines.make_files(state.machines, iso, request.disk_bytes)
        running.note = ", ".join(f"{machine.domain.name} {machine.address}".strip() for machine in state.machines)
        lab = Lab(directories, state, namespace)
    try:
        _switch_on(lab)
    except BaseException:
        lab.close()
        raise
    lab.state = msgspec.structs.replace(state, phase=Phase.UP)
    states.save(directories, lab.state)
    return lab


def _switch_on(lab: Lab) -> None:
    with step("power on") as running:
        for machine, node in zip(lab.state.machines, lab.nodes, strict=True):
            lab.hypervisor.define(render(machine.domain))
            node.start()
        lab.watch.wait_for_kernels()
        if all(machine.kernel_seconds is not None for machine in lab.state.machines):
            running.note = "every kernel has started"
