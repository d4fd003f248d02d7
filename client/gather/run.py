"""The sequence of `cluster0 gather`: ask all sources at once, archive their files, report what is missing."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from agent.api import operations
from agent.api.hosts import Host
from agent.api.timestamps import rfc3339
from agent.model.problems import Problem
from cli.cluster_directory import AUTH, SECRETS
from client.gather import from_host, from_kubernetes, from_service
from client.gather.archive import Archive, ArchivedSource, Manifest, new_archive
from client.remote.addresses import addresses
from client.remote.service import watcher_client
from client.remote.ssh import Login
from client.remote.target import Target
from node0.trust.scrub import Scrubber

AT_ONCE = 8


@dataclass(frozen=True)
class Request:
    """`directory`: that of `create image`. `hosts`: more addresses to ask.

    `seconds`: the limit for each host. `report` is called with every source as it ends.
    """

    directory: Path
    target: Target
    login: Login = field(default_factory=Login)
    hosts: tuple[str, ...] = ()
    output: Path | None = None
    seconds: float = from_host.TIMEOUT_SECONDS
    report: Callable[[ArchivedSource], None] = lambda source: None


class Gathered(msgspec.Struct, frozen=True, kw_only=True):
    """What `-o json` prints. `archive`: its path."""

    schema: int = 1
    archive: str
    manifest: Manifest


async def gather(request: Request) -> Gathered:
    """Problem: `gather-nothing` (no source answered), `no-space`, `output-not-writable`. Incomplete is no problem."""
    now = datetime.now(UTC)
    target = request.target
    path = request.output or request.directory / f"gather-{target.intent.name}-{now:%Y%m%dT%H%M%SZ}.tar.gz"
    with new_archive(path, Scrubber(_known_secrets(request.directory))) as archive:
        archive.add("intent.json", msgspec.json.format(msgspec.json.encode(target.intent), indent=1))
        sources = await _collect(request, archive)
        if not any(source.files for source in sources):
            raise _nothing(sources)
        manifest = archive.finish(cluster=target.intent.domain, made_at=rfc3339(now), sources=sources)
    return Gathered(archive=str(path), manifest=manifest)


async def _collect(request: Request, archive: Archive) -> tuple[ArchivedSource, ...]:
    registered = await _registered(request.target)
    where = addresses(request.target, registered) | {address: (address,) for address in request.hosts}
    slots = asyncio.Semaphore(AT_ONCE)

    async def of_host(name: str, known: tuple[str, ...]) -> ArchivedSource:
        async with slots:
            return await _one(f"hosts/{name}", _files(request, known), archive, request.report)

    return tuple(
        await asyncio.gather(
            _one("node0", from_service.collect(request.target), archive, request.report),
            _one("kubernetes", from_kubernetes.collect(request.target), archive, request.report),
            *(of_host(name, known) for name, known in where.items()),
        )
    )


async def _registered(target: Target) -> tuple[Host, ...]:
    """For their addresses; empty when the service does not answer, which `_one` reports."""
    try:
        async with watcher_client(target) as client:
            return (await client.call(operations.GET_CLUSTER, cluster_id=target.intent.cluster_id, timeout=10)).hosts
    except Problem:
        return ()


async def _files(request: Request, known: tuple[str, ...]) -> AsyncIterator[tuple[str, bytes]]:
    for item in (await from_host.collect(request.login, known, timeout=request.seconds)).items():
        yield item


async def _one(
    name: str, files: AsyncIterator[tuple[str, bytes]], archive: Archive, report: Callable[[ArchivedSource], None]
) -> ArchivedSource:
    count, why = 0, ""
    try:
        async for path, content in files:
            archive.add(f"{name}/{path}", content)
            count += 1
    except Problem as problem:
        why = str(problem)
    except TimeoutError:
        why = "no answer in time"
    source = ArchivedSource(name=name, files=count, why=why)
    report(source)
    return source


def _nothing(sources: tuple[ArchivedSource, ...]) -> Problem:
    return Problem(
        code="gather-nothing",
        title="No answer from node0's service, the Kubernetes API, or any host by SSH.",
        detail="\n".join(f"{source.name}: {source.why.splitlines()[0] if source.why else ''}" for source in sources),
        remedy="Name addresses with --host and your key with --ssh-key; the consoles show what hosts see.",
    )


def _known_secrets(directory: Path) -> list[bytes]:
    """Secrets that this directory's ISO was made with: tokens, every line of every private key.

    Empty when `secrets.json` is missing.
    """
    try:
        document = msgspec.json.decode((directory / AUTH / SECRETS).read_bytes())
    except (OSError, msgspec.DecodeError):
        return []
    return [word.encode() for text in _secret_texts("", document) for word in text.split()]


def _secret_texts(name: str, value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _secret_texts(key, item)
    elif isinstance(value, str) and (name.endswith("_token") or "PRIVATE KEY" in value):
        yield value
