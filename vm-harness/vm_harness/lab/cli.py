"""`cluster0 lab`: the product on virtual machines of this computer.

Commands that only pass something on (console, ssh, kubectl, run) become that program: its terminal and exit code are
the user's.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Any, NoReturn

import click
import msgspec

from cli.progress import say
from vm_harness.guest import evidence, kubectl
from vm_harness.lab import image, second_try, status
from vm_harness.lab import lab as labs
from vm_harness.lab.directories import Directories
from vm_harness.lab.follow import follow_install
from vm_harness.lab.request import LabRequest
from vm_harness.lab.topologies import TOPOLOGIES
from vm_harness.machine import accel
from vm_harness.machine.accel import Wish
from vm_harness.machine.firmware import Firmware
from vm_harness.machine.hypervisor import uri
from vm_harness.machine.media import Medium

CHECKOUT = Path(__file__).parents[3]
EXISTING_FILE = click.Path(exists=True, dir_okay=False, resolve_path=True, path_type=Path)
PASS_ON = {"ignore_unknown_options": True, "allow_interspersed_args": False}
"""For commands whose arguments are another program's."""


def _choice(kind: type[StrEnum]) -> click.Choice[str]:
    return click.Choice([member.value for member in kind])


def directory_option(command: Callable[..., Any]) -> Callable[..., Any]:
    kind = click.Path(file_okay=False, path_type=Path)
    return click.option("--dir", "directory", type=kind, default=".", show_default=True, help="Inputs and results.")(
        command
    )


@click.group()
def lab() -> None:
    """Run a cluster's hosts as virtual machines (QEMU/libvirt) in a network of their own."""


@lab.command()
@directory_option
@click.option(
    "--topology",
    type=click.Choice(list(TOPOLOGIES)),
    default="sno",
    show_default=True,
    help="Made up when --dir has no inputs.",
)
@click.option("--firmware", type=_choice(Firmware), default="bios", show_default=True)
@click.option("--medium", type=_choice(Medium), default="cdrom", show_default=True, help="How the ISO is put in.")
@click.option(
    "--accel",
    "wish",
    type=_choice(Wish),
    default="auto",
    show_default=True,
    envvar=accel.ENVIRONMENT,
    show_envvar=True,
    help="How machines run, see above.",
)
@click.option(
    "--iso", type=EXISTING_FILE, help="Boot this ISO; default: `cluster0 create image` makes it from the inputs."
)
@click.option("--base-iso", type=EXISTING_FILE, help="Passed on to `cluster0 create image`.")
@click.option("--memory", type=int, default=4096, show_default=True, help="MiB a machine.")
@click.option("--cpus", type=int, default=2, show_default=True, help="Virtual CPUs a machine.")
@click.option("--wait", is_flag=True, help="Follow the install to its end (`cluster0 wait-for install-complete`).")
@click.pass_context
def up(
    context: click.Context, directory: Path, topology: str, firmware: str, medium: str, wish: str,
    iso: Path | None, base_iso: Path | None, memory: int, cpus: int, wait: bool,
) -> None:  # fmt: skip
    """Make the ISO, make the machines, switch them on, and see that their kernels start. Ctrl-C takes everything down
    again.

    KVM or emulation: --accel auto tries once whether the ISO's own kernel starts under KVM, and remembers the answer
    until this computer starts again. A machine that pauses or ends by itself, or whose kernel prints no line within a
    minute, is reported at once with the end of its console; all machines are then made again, once, under emulation,
    and the run goes on. --accel kvm never emulates, --accel tcg always does.

    Emulation works everywhere and takes its time: on two cores one host installs in 8 to 9 minutes, two in 18, three
    in an hour.

    \b
    Examples:
      cluster0 lab up --topology sno --dir demo --wait
      CLUSTER0_ACCEL=tcg make demo
    """
    directory.mkdir(parents=True, exist_ok=True)
    directories = Directories.of(directory)
    request = LabRequest(
        directories=directories, topology=TOPOLOGIES[topology], firmware=Firmware(firmware), medium=Medium(medium),
        wish=Wish(wish), iso=iso, base_iso=base_iso, memory_mib=memory, vcpus=cpus,
    )  # fmt: skip
    try:
        context.exit(second_try.run(request, _show_and_follow if wait else _show))
    except image.CreateImageFailed as failed:
        context.exit(failed.exit_code)


@lab.command()
@directory_option
def down(directory: Path) -> None:
    """End the lab: machines, network, disks. Also after a crash. Serial logs and the SSH key stay in DIR/.lab.

    \b
    Examples:
      cluster0 lab down --dir demo
    """
    existed = labs.down(Directories.of(directory))
    say("the lab is down" if existed else "there is no lab here")


@lab.command("status")
@directory_option
@click.option("-o", "--output", type=click.Choice(["text", "json"]), default="text", show_default=True)
def show_status(directory: Path, output: str) -> None:
    """Say what is up and where to look.

    \b
    Examples:
      cluster0 lab status --dir demo -o json
    """
    with labs.opened(Directories.of(directory)) as found:
        seen = status.of(found)
    click.echo(status.text(seen) if output == "text" else msgspec.json.encode(seen))


@lab.command()
@directory_option
@click.argument("host", default="")
def console(directory: Path, host: str) -> None:
    """Sit down at a host's serial console (leave with Ctrl-]).

    \b
    Examples:
      cluster0 lab console --dir demo
    """
    with labs.opened(Directories.of(directory)) as found:
        name = found.node(host).name
        argv = ["virsh", "-c", uri(found.directories.runtime), "console", "--force", name]
    _become(argv)


@lab.command(context_settings=PASS_ON)
@directory_option
@click.option("--host", default="", help="Which one; default: the first.")
@click.argument("command", nargs=-1)
def ssh(directory: Path, host: str, command: tuple[str, ...]) -> None:
    """Log in as core, or run COMMAND there.

    \b
    Examples:
      cluster0 lab ssh --dir demo -- sudo journalctl --follow
    """
    with labs.opened(Directories.of(directory)) as found:
        argv = found.node(host).ssh.argv(" ".join(command), terminal=os.isatty(0))
    _become(argv)


@lab.command("kubectl", context_settings=PASS_ON)
@directory_option
@click.argument("arguments", nargs=-1)
def run_kubectl(directory: Path, arguments: tuple[str, ...]) -> None:
    """Run kubectl against the lab's cluster: $CLUSTER0_KUBECTL, else the one on PATH, else a host's own.

    \b
    Examples:
      cluster0 lab kubectl --dir demo -- get pods -A
    """
    with labs.opened(Directories.of(directory)) as found:
        chosen = kubectl.choose(found, arguments)
        argv = found.namespace.inside(chosen.argv)
    say(f"# {chosen.origin}")
    _become(argv)


@lab.command(context_settings=PASS_ON)
@directory_option
@click.argument("command", nargs=-1, required=True)
def run(directory: Path, command: tuple[str, ...]) -> None:
    """Run COMMAND where the lab's addresses exist.

    \b
    Examples:
      cluster0 lab run --dir demo -- cluster0 wait-for install-complete --dir demo
    """
    with labs.opened(Directories.of(directory)) as found:
        argv = found.namespace.inside(command)
    _become(argv)


@lab.command()
@click.option("--hosts", type=click.IntRange(2, 2000), default=100, show_default=True, help="How many.")
@click.option("--installs", type=click.IntRange(1), default=1, show_default=True, help="So often, one after the other.")
def swarm(hosts: int, installs: int) -> None:
    """Install simulated hosts: the real service and driver, before hosts that answer as recorded machines did.

    No root, no ISO and no machines are needed: it all runs on loopback, as processes of this computer, and is gone
    afterwards. What it prints is what so many hosts cost the service: registrations and requests a second, CPU, memory,
    and the time from the last answered check to the start of the install. It ends with 0 when every install has ended
    with every host installed.

    The hosts are those of the tests, in `tests/bench/swarm` of a checkout; `tests/data/machines` has the recorded
    machines, and `cluster0-agent --record` makes more of them.

    \b
    Examples:
      cluster0 lab swarm --hosts 30
      cluster0 lab swarm --hosts 3 --installs 100
    """
    if not (CHECKOUT / "tests/bench/swarm").is_dir():
        raise click.ClickException(f"{CHECKOUT} is no checkout of cluster0, and only a checkout has simulated hosts.")
    os.chdir(CHECKOUT)
    _become([sys.executable, "-m", "tests.bench.swarm", "--hosts", str(hosts), "--installs", str(installs)])


@lab.command("evidence")
@directory_option
@click.option("--into", type=click.Path(file_okay=False, path_type=Path), default="evidence", show_default=True)
def collect_evidence(directory: Path, into: Path) -> None:
    """Collect consoles, logs, screenshots and journals, and print the end of each.

    \b
    Examples:
      cluster0 lab evidence --dir demo --into evidence
    """
    with labs.opened(Directories.of(directory)) as found:
        evidence.collect(found.directories, found, into)
    evidence.show(into)


def _show(started: labs.Lab) -> int:
    say(status.text(status.of(started)))
    started.close()
    return 0


def _show_and_follow(started: labs.Lab) -> int:
    """A failed install leaves the lab up, to look around in; Ctrl-C does not."""
    say(status.text(status.of(started)))
    try:
        return follow_install(started)
    except KeyboardInterrupt:
        labs.down(started.directories)
        raise
    finally:
        started.close()


def _become(argv: list[str]) -> NoReturn:
    os.execvp(argv[0], argv)
