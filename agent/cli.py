"""The agent's sub-commands. Each imports only what it runs: at boot, on a slow CPU, imports are what takes time."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from agent.model.journal import log_to_journal, say
from agent.model.printable import printable_json, printable_lines
from agent.model.problems import Problem

Arguments = argparse.Namespace

NO_MATCH = 3  # of `network`, whose unit does not try again then


def _network(arguments: Arguments) -> int:
    from agent.machine import Machine
    from agent.network.configure import configure

    match = configure(Machine(), timeout=arguments.timeout)
    if match is None:
        say("No intent in this image: nothing to do.")
        return 0
    say(match.why)
    return NO_MATCH if match.problems else 0


def _network_verify(arguments: Arguments) -> int:
    import asyncio

    from agent.machine import Machine
    from agent.network.verify import verify

    report = asyncio.run(verify(Machine(), timeout=arguments.timeout, stay=arguments.stay))
    for problem in report.problems:
        say(str(Problem.from_report(problem)))
    return 1 if report.problems else 0


def _network_change(arguments: Arguments) -> int:
    import asyncio

    from agent.machine import Machine
    from agent.network.change import apply_inputs, run_command

    if arguments.argv:
        asyncio.run(run_command(Machine(), arguments.argv, timeout=arguments.timeout))
    else:
        asyncio.run(apply_inputs(Machine(), timeout=arguments.timeout))
    return 0


def _network_show(_: Arguments) -> int:
    from agent.machine.libnmstate import show

    sys.stdout.write(printable_lines(show()))
    return 0


def _network_apply(arguments: Arguments) -> int:
    import asyncio

    from agent.machine import Machine
    from agent.network.change import apply_state
    from agent.network.nmstate import read

    asyncio.run(apply_state(Machine(), read(arguments.file), timeout=arguments.timeout))
    return 0


def _run(arguments: Arguments) -> int:
    import asyncio

    from agent.machine import Machine
    from agent.service.run_agent import run_agent

    asyncio.run(run_agent(Machine()))
    return 0


def _podnet(arguments: Arguments) -> int:
    import asyncio

    from agent.machine import Machine
    from agent.podnet.run import serve

    asyncio.run(serve(Machine()))
    return 0


def _console(arguments: Arguments) -> int:
    from agent.console.app import show

    show(arguments.tty)
    return 0


def _inventory(arguments: Arguments) -> int:
    import msgspec

    from agent.inventory.collect import collect
    from agent.machine import Machine

    sys.stdout.write(printable_json(msgspec.json.format(msgspec.json.encode(collect(Machine())))) + "\n")
    return 0


def _record(arguments: Arguments) -> int:
    import asyncio

    import msgspec

    from agent.machine import Machine
    from agent.record.machine import record
    from agent.record.mask import mask

    found = asyncio.run(record(Machine()))
    document = msgspec.json.encode(mask(found) if arguments.mask else found)
    sys.stdout.write(printable_json(msgspec.json.format(document, indent=1)) + "\n")
    return 0


COMMANDS: dict[str, tuple[Callable[[Arguments], int], str]] = {
    "network": (_network, "before NetworkManager: find out which host this is, write its keyfiles and names"),
    "network-verify": (_network_verify, "after NetworkManager: wait for addresses, report what did not come up"),
    "network-change": (
        _network_change,
        "by hand: change the live network; undone where node0 answers no more",
    ),
    "network-show": (_network_show, "print the live network as NMState, in YAML"),
    "network-apply": (_network_apply, "by hand: change it by a document in NMState; undone in the same case"),
    "run": (
        _run,
        "stay: register with node0, run its instructions; lead where the rendezvous address is",
    ),
    "podnet": (_podnet, "stay: keep this node's pod network in step with the cluster's nodes"),
    "console": (_console, "stay: show this host's status on a terminal"),
    "inventory": (_inventory, "print this host's inventory as JSON"),
}


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(
        prog="cluster0-agent",
        description="What every host of a cluster0 cluster runs. systemd starts these; by hand they do the same again.",
    )
    record_help = "print this machine as a file for `cluster0 replay`: hardware, network, disks, other hosts"
    top.add_argument("--record", dest="call", action="store_const", const=_record, help=record_help)
    mask_help = "with --record: replace serial numbers, MACs' last halves and secrets, so that it can be published"
    top.add_argument("--mask", action="store_true", help=mask_help)
    parsers = top.add_subparsers(metavar="COMMAND")
    added = {name: parsers.add_parser(name, help=what, description=what) for name, (_, what) in COMMANDS.items()}
    for name, (call, _) in COMMANDS.items():
        added[name].set_defaults(call=call)
    _add_network_arguments(added)
    tty_help = "device to write to: a page on /dev/tty1, lines on /dev/ttyS0"
    added["console"].add_argument("--tty", required=True, help=tty_help)
    return top


def _add_network_arguments(added: dict[str, argparse.ArgumentParser]) -> None:
    for name, seconds, what in (
        ("network", 15.0, "how long NICs may take to appear (default: 15)"),
        ("network-verify", 60.0, "how long to wait for the network (default: 60)"),
        ("network-change", 30.0, "how long the change may take, and node0 to answer after it (default: 30)"),
        ("network-apply", 30.0, "how long node0 may take to answer after the change (default: 30)"),
    ):
        added[name].add_argument("--timeout", type=float, default=seconds, metavar="SECONDS", help=what)
    stay_help = "if connections or addresses are missing then, report them and keep running until they are up"
    added["network-verify"].add_argument("--stay", action="store_true", help=stay_help)
    argv_help = "a command that changes it, after --: nmcli …; without one, back to the network of the inputs"
    added["network-change"].add_argument("argv", nargs="*", metavar="COMMAND", help=argv_help)
    file_help = "what is to change, as network-show prints it; anything else stays as it is"
    added["network-apply"].add_argument("file", type=Path, metavar="FILE", help=file_help)


def main(argv: Sequence[str] | None = None) -> int:
    """Exit code 0 when all is well, 1 with the problem on stderr, 2 for wrong usage."""
    log_to_journal("%(name)s: %(message)s")
    commands = parser()
    arguments = commands.parse_args(argv)
    if arguments.call is None:
        commands.error("name a COMMAND, or --record")
    try:
        return int(arguments.call(arguments))
    except Problem as problem:
        say(str(problem))
        return 1
    except KeyboardInterrupt:
        return 130
