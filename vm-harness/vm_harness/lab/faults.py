"""`cluster0 lab fault`: a fault for a host of a lab that is up."""

from __future__ import annotations

import time
from pathlib import Path

import click

from agent.model.problems import Problem
from cli.progress import say
from vm_harness.faults.fault import WORDS, Fault, Target
from vm_harness.faults.table import FAMILIES, find
from vm_harness.lab.directories import Directories
from vm_harness.lab.lab import Lab, opened
from vm_harness.lab.options import directory_option


def target(lab: Lab, host: str) -> Target:
    """Raises `Problem` (`no-such-host`)."""
    node = lab.node(host)
    (machine,) = (machine for machine in lab.state.machines if machine.name == node.name)
    return Target(node, machine, lab.namespace, lab.directories.runtime)


@click.command("fault")
@directory_option
@click.argument("host", required=False)
@click.argument("fault", required=False)
@click.option("--for", "seconds", type=click.FloatRange(min=0), help="End the fault after this many seconds.")
@click.option("--end", is_flag=True, help="End a fault that lasts.")
@click.option("--list", "lists", is_flag=True, help="Explain every fault.")
def run_fault(
    directory: Path, host: str | None, fault: str | None, seconds: float | None, end: bool, lists: bool
) -> None:
    """Let something fail on HOST, and see what the install makes of it.

    Some faults are over at once: a program that is killed, a host that gets another disk. The others last: a cable that
    is out, a full disk, power that is off. With --for the command waits, and ends the fault itself, also after Ctrl-C.
    Without it, the fault lasts until the same command with --end, or until `lab down`.

    A fault acts on the host as it is now. One that needs a login on the host cannot begin or end while the host does
    not answer. Follow the install meanwhile, in another terminal: `cluster0 wait-for install-complete`, `cluster0 lab
    console`. docs/faults.md has the outcomes of all that have been tried, at which stage of an install.

    \b
    Examples:
      cluster0 lab fault --list
      cluster0 lab fault --dir demo node0 kill-kubelet
      cluster0 lab fault --dir demo node0 power-cut --for 5
      cluster0 lab fault --dir demo node1 packet-loss-30 --for 120
      cluster0 lab fault --dir demo node1 partition
      cluster0 lab fault --dir demo node1 partition --end
    """
    if lists:
        click.echo(explanation())
        return
    if host is None or fault is None:
        raise click.UsageError("Name a HOST and a FAULT. `cluster0 lab fault --list` explains the faults.")
    chosen = find(fault)
    with opened(Directories.of(directory)) as lab:
        affected = target(lab, host)
        chosen.check(affected)
        if end:
            _end(chosen, affected)
        else:
            _begin(chosen, affected, seconds)


def explanation() -> str:
    """All faults, a family after the other."""
    lines: list[str] = []
    for family, faults in FAMILIES.items():
        lines += ["", f"{family}:"] if lines else [f"{family}:"]
        for fault in faults:
            kinds = "" if len(fault.kinds) == len(WORDS) else f" Only for machines: {fault.kinds[0]}."
            lines.append(f"  {fault.name:<20}  {'lasts   ' if fault.lasts else 'at once '}  {fault.summary}{kinds}")
    return "\n".join(lines)


def _begin(fault: Fault, affected: Target, seconds: float | None) -> None:
    fault.begin(affected)
    if fault.end is None:
        say(f"{affected.name}: {fault.name}")
        return
    if seconds is None:
        say(f"{affected.name}: {fault.name} has begun; it lasts until the same command with --end")
        return
    say(f"{affected.name}: {fault.name} has begun, for {seconds:g} s")
    try:
        time.sleep(seconds)
    finally:
        _end(fault, affected)


def _end(fault: Fault, affected: Target) -> None:
    if fault.end is None:
        raise Problem(code="fault-does-not-last", title=f"{fault.name} is over at once: there is nothing to end")
    fault.end(affected)
    say(f"{affected.name}: {fault.name} has ended")
