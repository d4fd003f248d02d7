"""`cluster0-node0`: the programs of node0. Each imports what it needs only when it runs, for a quick start."""

from __future__ import annotations

import argparse
import asyncio
import gc
import logging
import os
from pathlib import Path

from agent.machine.files import Files
from agent.machine.machine import Machine
from agent.model.journal import log_to_journal
from agent.model.problems import Problem

log = logging.getLogger(__name__)

EXIT_PROBLEM = 6


def main(argv: list[str] | None = None) -> int:
    """Exit codes: 0 done, 1 our bug (a traceback), 2 usage, 6 failed and explained."""
    arguments = _parser().parse_args(argv)
    log_to_journal("%(message)s")
    machine = Machine(files=Files(arguments.root))
    try:
        asyncio.run(arguments.run(machine, arguments))
    except Problem as problem:
        log.error("%s", problem)
        return EXIT_PROBLEM
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="cluster0-node0", description="The programs of node0, the rendezvous host.")
    parser.add_argument("--root", type=Path, default=Path("/"), help="the machine's root directory")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    serve = commands.add_parser("serve", help="the assisted service")
    serve.add_argument("--port", type=int, default=8090)
    serve.add_argument("--lifetime", type=float, help="seconds to serve after the install, when not as the inputs say")
    serve.add_argument("--loopback-port", type=int, default=0, help="also plain HTTP on 127.0.0.1, for local clients")
    serve.set_defaults(run=_serve)

    create = commands.add_parser("create-cluster", help="the driver: from registered hosts to an installed cluster")
    create.add_argument("--url", default="", help="the service; default: at the rendezvous address")
    create.set_defaults(run=_create_cluster)

    bootstrap = commands.add_parser("bootstrap", help="start Kubernetes on the disk that was just written")
    bootstrap.set_defaults(run=_bootstrap)
    return parser


async def _serve(machine: Machine, arguments: argparse.Namespace) -> None:
    gc.disable()  # until it listens: forty searches of its start find 2,000 objects, and all hosts wait for it
    from datetime import timedelta

    from node0.service import Settings, serve
    from node0.state_machine.limits import from_environment

    lifetime = None if arguments.lifetime is None else timedelta(seconds=arguments.lifetime)
    await serve(
        machine,
        Settings(
            port=arguments.port,
            lifetime=lifetime,
            loopback_port=arguments.loopback_port,
            limits=from_environment(os.environ),
        ),
    )


async def _create_cluster(machine: Machine, arguments: argparse.Namespace) -> None:
    from node0.create_cluster.driver import create_cluster

    await create_cluster(machine, url=arguments.url)


async def _bootstrap(machine: Machine, _arguments: argparse.Namespace) -> None:
    from node0.bootstrap import run

    await run(machine)
