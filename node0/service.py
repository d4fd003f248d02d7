"""The assisted service of node0, put together: store, state manager, REST, deadlines, console file, lifetime."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import signal
from dataclasses import dataclass, field
from datetime import timedelta

from agent.machine.machine import Machine
from agent.model import host_paths
from agent.model.host_documents import ClusterStatusFile, HostLine
from agent.model.intent import ClusterIntent
from agent.model.problems import Problem
from node0 import intent_file
from node0.join.credential_issuer import JoinCredentialIssuer
from node0.listener import listening, notify_systemd
from node0.reconcile.deadlines import next_deadline
from node0.reconcile.state_manager import StateManager
from node0.refusals import Unavailable
from node0.rest.app import make_app
from node0.rest.server.auth import Gatekeeper
from node0.state_machine import progress
from node0.state_machine.limits import Limits
from node0.store.location import Locations
from node0.store.records import HostRecord, Records
from node0.store.store import Store
from node0.trust.host_tokens import HostTokens
from node0.trust.keys import token_key

log = logging.getLogger(__name__)

# People read consoles: changes within this time are shown together. The status of a thousand hosts takes milliseconds.
SHOW_SECONDS = 0.5

# Searches for garbage among younger objects until one looks at all objects. Python's default is 10.
SEARCHES_UNTIL_FULL = 1000
# How often all objects are searched instead. A closed connection leaves 1.4 KiB in a cycle (asyncio's transport).
FULL_SEARCH_SECONDS = 60.0

# How long after a failed write the disk is tried again.
RETRY_SECONDS = 2.0
# How often it is tried while nothing is wrong: minutes can pass in which no request writes.
PROBE_SECONDS = 10.0


@dataclass(frozen=True)
class Settings:
    """port, loopback_port: as for `listening`. `lifetime` None: as the inputs say."""

    port: int
    lifetime: timedelta | None = None
    loopback_port: int = 0
    limits: Limits = field(default_factory=Limits)


async def serve(machine: Machine, settings: Settings) -> None:
    """Serve until SIGTERM, or until the lifetime after the install has ended.

    Raises `Problem` when it cannot start: no intent, or one of another release; `key-unusable`, `port-taken`, and those
    of the store. It goes to the consoles, too: while the service does not run, nothing else can show it.
    """
    intent = intent_file.read(machine.files)
    try:
        await _serve(machine, settings, intent)
    except Problem as problem:
        machine.files.save(host_paths.CLUSTER_STATUS_FILE, _not_started(intent, problem))
        raise


async def _serve(machine: Machine, settings: Settings, intent: ClusterIntent) -> None:
    key = token_key(machine.files)
    store = Store(Locations(machine.files).at_start())
    await store.open()
    try:
        records = await store.load()
        state_manager = StateManager(
            store=store,
            records=records,
            clock=machine.clock,
            limits=settings.limits,
            last_event=await store.last_event(),
        )
        issuer = JoinCredentialIssuer(state_manager=state_manager, machine=machine, intent=intent)
        app = make_app(
            state_manager=state_manager,
            gatekeeper=Gatekeeper(key, cluster_id=intent.cluster_id, clock=machine.clock, state_manager=state_manager),
            host_tokens=HostTokens(key_pem=key, cluster_id=intent.cluster_id, clock=machine.clock),
            issuer=issuer,
            intent=intent,
            machine=machine,
        )
        _limit_garbage_collection()
        async with listening(app, machine.files, port=settings.port, loopback_port=settings.loopback_port):
            of_inputs = timedelta(minutes=intent.service_lifetime_minutes)
            lifetime = of_inputs if settings.lifetime is None else settings.lifetime
            await _run(state_manager, issuer, machine, lifetime)
    finally:
        await store.close()


def _limit_garbage_collection() -> None:
    """No request is answered while Python searches for garbage.

    What is loaded now stays as long as the service; it was loaded without the collector, which found next to nothing.
    Searches among all that has come since take 50 ms with a thousand hosts, and find little: requests and records
    leave no cycles, only connections do. So they are made by the clock.
    """
    gc.freeze()
    young, middle, _ = gc.get_threshold()
    gc.set_threshold(young, middle, SEARCHES_UNTIL_FULL)
    gc.enable()


async def _run(
    state_manager: StateManager, issuer: JoinCredentialIssuer, machine: Machine, lifetime: timedelta
) -> None:
    """The tasks of the service. The first that ends, ends all: a signal, the end of the lifetime, or a bug."""
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    async with asyncio.TaskGroup() as group:
        tasks = [
            group.create_task(_watch_deadlines(state_manager, machine), name="deadlines"),
            group.create_task(issuer.approve_requests(), name="approve joins"),
            group.create_task(_watch_store(state_manager, machine), name="store"),
            group.create_task(_collect_garbage(machine), name="garbage"),
            group.create_task(_show_on_consoles(state_manager, machine), name="console status"),
            group.create_task(_end_lifetime(state_manager, machine, lifetime, stop), name="lifetime"),
        ]
        await stop.wait()
        notify_systemd("STOPPING=1")
        for task in tasks:
            task.cancel()


async def _watch_deadlines(state_manager: StateManager, machine: Machine) -> None:
    while True:
        with contextlib.suppress(Unavailable):
            await state_manager.apply()
        pause = next_deadline(state_manager.records, state_manager.timers)
        await machine.clock.sleep(max(pause, RETRY_SECONDS) if state_manager.store_problem else pause)


async def _watch_store(state_manager: StateManager, machine: Machine) -> None:
    """Find a disk that becomes full or read-only, and one that is well again, also when no request writes."""
    while True:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(state_manager.store_fails.wait(), PROBE_SECONDS)
        if state_manager.store_problem is not None:
            await machine.clock.sleep(RETRY_SECONDS)
        await state_manager.probe_store()


async def _collect_garbage(machine: Machine) -> None:
    while True:
        await machine.clock.sleep(FULL_SEARCH_SECONDS)
        gc.collect()


async def _show_on_consoles(state_manager: StateManager, machine: Machine) -> None:
    shown = None
    while True:
        seen = state_manager.changes
        status = _console_status(state_manager.records, state_manager.store_problem)
        if status is not None:
            if status != shown:
                await asyncio.to_thread(machine.files.save, host_paths.CLUSTER_STATUS_FILE, status)
                shown = status
            await machine.clock.sleep(SHOW_SECONDS)
        await state_manager.next_change(seen)


async def _end_lifetime(
    state_manager: StateManager, machine: Machine, lifetime: timedelta, stop: asyncio.Event
) -> None:
    """A service that is started again later, for a late host, lives as long as the first one did after the install."""
    started = machine.clock.now()
    while True:
        seen = state_manager.changes
        cluster = state_manager.records.cluster
        if cluster is not None and cluster.install_completed_at is not None:
            left = max(cluster.install_completed_at, started) + lifetime - machine.clock.now()
            await machine.clock.sleep(max(left.total_seconds(), 0))
            while any(host.status.is_installing for host in state_manager.records.hosts.values()):
                # A late host still installs: it will request its join credential here.
                await state_manager.next_change(state_manager.changes)
            log.info(
                "the install is complete, and for %s no late host has registered: this node's service ends", lifetime
            )
            await asyncio.to_thread(machine.files.write, host_paths.NODE0_DONE_FILE, "")
            stop.set()
            return
        await state_manager.next_change(seen)


def _console_status(records: Records, problem: Problem | None) -> ClusterStatusFile | None:
    """The cluster for the consoles of node0; None while there is none. `problem`: what keeps the store from writing."""
    cluster = records.cluster
    if cluster is None:
        return None
    return ClusterStatusFile(
        name=cluster.spec.name,
        status=cluster.status,
        status_info=cluster.status_info,
        hosts=tuple(_host_line(host) for host in records.hosts.values()),
        problems=(problem.report(),) if problem else (),
    )


def _not_started(intent: ClusterIntent, problem: Problem) -> ClusterStatusFile:
    """The same, with the problem that keeps the service from starting."""
    words = "node0's service does not start."
    return ClusterStatusFile(name=intent.name, status="unknown", status_info=words, problems=(problem.report(),))


def _host_line(host: HostRecord) -> HostLine:
    if host.stage is None or not host.status.is_installing:
        return HostLine(name=host.label, status=host.status, detail=host.status_info)
    info = f", {host.stage.info}" if host.stage.info else ""
    return HostLine(name=host.label, status=host.status, detail=f"{host.stage.stage} ({progress.of_host(host)}%{info})")
