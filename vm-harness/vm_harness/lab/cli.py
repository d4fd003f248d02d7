"""`cluster0 lab`: the hosts of a cluster as virtual machines or containers of this computer."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path

import click
import msgspec

from cli.progress import say
from vm_harness.lab import evidence, other_programs, retry, status
from vm_harness.lab.cluster import image
from vm_harness.lab.cluster.topologies import TOPOLOGIES
from vm_harness.lab.directories import Directories
from vm_harness.lab.faults import run_fault
from vm_harness.lab.follow import follow_install
from vm_harness.lab.lab import Lab, opened
from vm_harness.lab.lab import down as take_down
from vm_harness.lab.options import directory_option
from vm_harness.lab.request import LabRequest, MachineKind
from vm_harness.machine import accel
from vm_harness.machine.accel import AccelMode
from vm_harness.machine.firmware import Firmware
from vm_harness.machine.media import Medium

EXISTING_FILE = click.Path(exists=True, dir_okay=False, resolve_path=True, path_type=Path)


def _choice(kind: type[StrEnum]) -> click.Choice[str]:
    return click.Choice([member.value for member in kind])


@click.group()
def lab() -> None:
    """Run a cluster's hosts as virtual machines or containers, in a network of their own."""


for command in (*other_programs.COMMANDS, run_fault):
    lab.add_command(command)


@lab.command()
@directory_option
@click.option(
    "--topology",
    type=click.Choice(list(TOPOLOGIES)),
    default="sno",
    show_default=True,
    help="Write inputs for this cluster where --dir has none.",
)
@click.option(
    "--machines",
    type=_choice(MachineKind),
    default="vm",
    show_default=True,
    help="What each host is, see above.",
)
@click.option("--firmware", type=_choice(Firmware), default="bios", show_default=True, help="Firmware of each machine.")
@click.option("--medium", type=_choice(Medium), default="cdrom", show_default=True, help="Boot device of each machine.")
@click.option("--medium-first", is_flag=True, help="The firmware tries the medium before the disk.")
@click.option(
    "--accel",
    "accel_mode",
    type=_choice(AccelMode),
    default="auto",
    show_default=True,
    envvar=accel.ENVIRONMENT,
    show_envvar=True,
    help="KVM (kvm) or emulation (tcg), see above.",
)
@click.option(
    "--iso", type=EXISTING_FILE, help="Boot this ISO.  [default: `cluster0 create image` makes it from the inputs]"
)
@click.option("--base-iso", type=EXISTING_FILE, help="The base live ISO for `cluster0 create image`.")
@click.option("--memory", type=int, default=4096, show_default=True, help="Memory of each machine, in MiB.")
@click.option("--cpus", type=int, default=2, show_default=True, help="Virtual CPUs of each machine.")
@click.option("--wait", is_flag=True, help="Follow the install to its end (`cluster0 wait-for install-complete`).")
@click.pass_context
def up(
    context: click.Context, directory: Path, topology: str, machines: str, firmware: str, medium: str,
    medium_first: bool, accel_mode: str, iso: Path | None, base_iso: Path | None, memory: int, cpus: int, wait: bool,
) -> None:  # fmt: skip
    """Create the ISO and the machines, and boot them. Ctrl-C removes everything again.

    Machines: vm is a virtual machine (QEMU, libvirt) with the real ISO on firmware. container is the ISO's root image
    in a container, at native speed: one host installs in two to three minutes. The lab then does the work of firmware,
    boot loader and initramfs, so a container proves nothing about these, nor about the kernel, drivers, sticks, PXE,
    bonds, VLANs and clocks.

    KVM or emulation: --accel auto boots the ISO's own kernel under KVM, and remembers the result until this computer
    restarts. A machine fails when it pauses or ends by itself, or when its kernel prints no line within a minute. The
    lab then shows the end of that machine's console, and makes all machines again, once, under emulation. --accel kvm
    never emulates. --accel tcg always emulates.

    Emulation works everywhere and is slow: on two cores one host installs in 8 to 9 minutes, two in 18, three in an
    hour.

    \b
    Examples:
      cluster0 lab up --topology sno --dir demo --wait
      cluster0 lab up --topology compact --machines container --dir demo --wait
      CLUSTER0_ACCEL=tcg make demo
    """
    directory.mkdir(parents=True, exist_ok=True)
    request = LabRequest(
        directories=Directories.of(directory), topology=TOPOLOGIES[topology], machines=MachineKind(machines),
        firmware=Firmware(firmware), medium=Medium(medium), medium_first=medium_first,
        accel_mode=AccelMode(accel_mode), iso=iso, base_iso=base_iso, memory_mib=memory, vcpus=cpus,
    )  # fmt: skip
    try:
        context.exit(retry.run(request, _show_and_follow if wait else _show))
    except image.CreateImageFailed as failed:
        context.exit(failed.exit_code)


@lab.command()
@directory_option
def down(directory: Path) -> None:
    """Remove the lab: machines, network, disks. Works after a crash, too. DIR/.lab keeps serial logs and the SSH key.

    \b
    Examples:
      cluster0 lab down --dir demo
    """
    existed = take_down(Directories.of(directory))
    say("the lab is down" if existed else "there is no lab here")


@lab.command("status")
@directory_option
@click.option("-o", "--output", type=click.Choice(["text", "json"]), default="text", show_default=True)
def show_status(directory: Path, output: str) -> None:
    """Show the machines, their addresses and their consoles.

    \b
    Examples:
      cluster0 lab status --dir demo -o json
    """
    with opened(Directories.of(directory)) as found:
        seen = status.of(found)
    click.echo(status.text(seen) if output == "text" else msgspec.json.encode(seen))


@lab.command("evidence")
@directory_option
@click.option("--into", type=click.Path(file_okay=False, path_type=Path), default="evidence", show_default=True)
def collect_evidence(directory: Path, into: Path) -> None:
    """Collect consoles, logs, screenshots and journals. Print the end of each.

    \b
    Examples:
      cluster0 lab evidence --dir demo --into evidence
    """
    with opened(Directories.of(directory)) as found:
        evidence.collect(found.directories, found, into)
    evidence.show(into)


@lab.command()
@click.option("--hosts", type=click.IntRange(2, 2000), default=100, show_default=True, help="Hosts of an install.")
@click.option(
    "--installs", "number", type=click.IntRange(1), default=1, show_default=True, help="Installs, one after the other."
)
def swarm(hosts: int, number: int) -> None:
    """Install simulated hosts with the real service and driver.

    Each host answers as a recorded machine did. The command needs no root, no ISO and no virtual machines: it starts
    processes on loopback, which end with the command. It prints what the hosts cost the service: registrations and
    requests a second, CPU, memory, and the time from the last answered check to the start of the install. Its exit code
    is 0 when every host of every install is installed.

    `cluster0-agent --record` records a machine, and `cluster0 replay` shows what node0 says of it.

    \b
    Examples:
      cluster0 lab swarm --hosts 30
      cluster0 lab swarm --hosts 3 --installs 100
    """
    from replay.swarm import installs
    from replay.swarm.figures import show

    show(installs(hosts, number))


def _show(started: Lab) -> int:
    say(status.text(status.of(started)))
    started.close()
    return 0


def _show_and_follow(started: Lab) -> int:
    """A failed install leaves the lab up, for a look around; Ctrl-C does not."""
    say(status.text(status.of(started)))
    try:
        return follow_install(started)
    except KeyboardInterrupt:
        take_down(started.directories)
        raise
    finally:
        started.close()
