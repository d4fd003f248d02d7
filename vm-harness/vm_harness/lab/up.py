"""Bringing a lab up: inputs, preflight, ISO, accelerator, network, libvirtd, machines, power."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path

import msgspec

from agent.model.intent import ClusterIntent
from agent.model.problems import Problem
from cli.cluster_directory import ISO
from cli.progress import say, step
from vm_harness.lab import containers, leftovers, plan, preflight
from vm_harness.lab import state as states
from vm_harness.lab.cluster import hosts, image, inputs, keys, made_up
from vm_harness.lab.cluster.hosts import LabHost
from vm_harness.lab.directories import Directories, cache
from vm_harness.lab.lab import Lab
from vm_harness.lab.request import LabRequest, MachineKind
from vm_harness.lab.state import LabPhase, LabState
from vm_harness.machine import accel, libvirtd, machines
from vm_harness.machine.accel import Acceleration, Verdict
from vm_harness.machine.machines import LabMachine
from vm_harness.machine.probe import live_system, verdicts
from vm_harness.machine.probe.live_system import LiveSystem
from vm_harness.machine.probe.verdicts import Verdicts
from vm_harness.network import link
from vm_harness.network.namespace import Namespace


def up(request: LabRequest) -> Lab:
    """Bring up what `request` describes and boot it. Returns when each kernel has started.

    Anything that ends this early, also Ctrl-C, leaves only logs behind. Raises `ConfigurationError` (the inputs) and
    `Problem`: `lab-already-up`, `lab-busy`, `lab-preflight`, `MachineFailed`, and those of the steps.
    """
    directories = request.directories
    with states.locked(directories):
        _prepare(directories)
        intent = _intent(request)
        machine_hosts = hosts.of_intent(intent) if intent else made_up.hosts(request.made_up_topology)
        with step("preflight"):
            preflight.check(request, len(machine_hosts))
        iso = request.iso or _own_iso(request)
        acceleration, machines = _plan(request, machine_hosts, iso)
        state = LabState(
            id=directories.id, boot_id=states.boot_id(), phase=LabPhase.STARTING, acceleration=acceleration,
            accepts_lab_key=keys.is_accepted(directories, intent), machines=machines,
        )  # fmt: skip
        try:
            states.save(directories, state)
            return _start(request, machine_hosts, iso, state)
        except BaseException:
            with step("removing what was started"):
                leftovers.remove(directories)
            raise


def _plan(
    request: LabRequest, machine_hosts: Sequence[LabHost], iso: Path
) -> tuple[Acceleration, tuple[LabMachine, ...]]:
    """What is known before anything is made. A container's devices get their names when they are made."""
    if request.machines is MachineKind.CONTAINER:
        return Acceleration.NATIVE, ()
    with live_system.extracted(iso, request.directories.root / "live") as live:
        acceleration = _accelerate(request, live)
    return acceleration, plan.machines(request, machine_hosts, iso, live, acceleration)


def _prepare(directories: Directories) -> None:
    state = leftovers.recorded_state(directories)
    if state is not None and state.is_up:
        raise Problem(
            code="lab-already-up", title=f"a lab is up in {directories.inputs}",
            remedy=f"Use it, or end it with `cluster0 lab down --dir {directories.inputs}`.",
        )  # fmt: skip
    if leftovers.lab_exists(directories):
        with step("removing what an interrupted lab left"):
            leftovers.remove(directories)
    directories.make()


def _intent(request: LabRequest) -> ClusterIntent | None:
    """The intent of the user's inputs, or of inputs made up for the topology. None: no inputs, and an ISO is given.

    Raises as `inputs.read` does.
    """
    public_key = keys.ensure(request.directories)
    directory = request.directories.inputs
    if not inputs.are_present(directory):
        if request.iso:
            return None
        made_up.write(directory, request.made_up_topology, public_key)
        say(f"  wrote {' and '.join(inputs.CLUSTER_FILES)} into {directory}")
    return inputs.read(directory)


def _own_iso(request: LabRequest) -> Path:
    directory = request.directories.inputs
    if image.is_current(directory, request.base_iso):
        say(f"  using {directory / ISO}: it is newer than its inputs")
    else:
        image.create(directory, request.base_iso)
    return directory / ISO


def _accelerate(request: LabRequest, live: LiveSystem | None) -> Acceleration:
    known = Verdicts(cache())

    def probe() -> Verdict:
        verdict = verdicts.obtain(machines.emulator(), live, known, boot_id=states.boot_id())
        if not verdict.kvm_works and known.file.exists():
            say(f"  KVM is not tried again until this computer restarts or {known.file} is deleted")
        return verdict

    with step("acceleration") as running:
        acceleration, reason = accel.decide(request.accel_mode, probe)
        running.note = f"{acceleration}, because {reason}"
    return acceleration


def _start(request: LabRequest, machine_hosts: Sequence[LabHost], iso: Path, state: LabState) -> Lab:
    directories = request.directories
    with step("network namespace") as running:
        namespace = Namespace.create(leftovers.namespace_name(directories))
        state = msgspec.structs.replace(state, namespace=namespace)
        states.save(directories, state)
        running.note = f"{namespace.name}, {_connect(request, machine_hosts, namespace)}"
    if request.machines is MachineKind.VM:
        state = _start_libvirtd(directories, namespace, state)
    with step("machines") as running:
        if request.machines is MachineKind.CONTAINER:
            made = containers.make(request, machine_hosts, iso, namespace)
            state = msgspec.structs.replace(state, machines=made)
            states.save(directories, state)
        else:
            machines.make_files(plan.virtual(state.machines), iso, request.disk_bytes)
        running.note = ", ".join(f"{machine.name} {machine.address}".strip() for machine in state.machines)
        lab = Lab(directories, state, namespace)
    try:
        _switch_on(lab, request.left_off)
    except BaseException:
        lab.close()
        raise
    lab.state = msgspec.structs.replace(state, phase=LabPhase.UP)
    states.save(directories, lab.state)
    return lab


def _start_libvirtd(directories: Directories, namespace: Namespace, state: LabState) -> LabState:
    with step("libvirtd"):
        process = libvirtd.start(
            namespace, runtime=directories.runtime, logs=directories.logs, cache=cache() / "lab/libvirt"
        )
        started = msgspec.structs.replace(state, libvirtd=process)
        states.save(directories, started)
    return started


def _connect(request: LabRequest, machine_hosts: Sequence[LabHost], namespace: Namespace) -> str:
    """Make the link and its trunks; for people, what there is then."""
    address = plan.gateway(request, machine_hosts)
    link.create_bridge(namespace, address)
    if any(host.second_link for host in machine_hosts):
        link.create_second_bridge(namespace)
    vlans = sorted({host.vlan for host in machine_hosts if host.vlan is not None})
    link.create_trunks(namespace, vlans, request.directories.runtime)
    return f"{link.BRIDGE} has {address}" + "".join(f", VLAN {vlan}" for vlan in vlans)


def _switch_on(lab: Lab, left_off: AbstractSet[str]) -> None:
    with step("power on") as running:
        for machine, node in zip(lab.state.machines, lab.nodes, strict=True):
            lab.machines.define(machine)
            if node.name not in left_off:
                node.start()
        lab.watch.wait_for_kernels()
        if all(machine.kernel_seconds is not None for machine in lab.state.machines):
            running.note = "every kernel has started"
