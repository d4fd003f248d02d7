"""TLS of the service: what asyncio's own transport promises, on real sockets."""

from __future__ import annotations

import asyncio
import resource
import socket
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from node0.tls import listener as tls_listener
from node0.tls import transport as tls_transport
from node0.tls.listener import TlsListener
from tests.fakes.system.tls import LoopbackTls, make_loopback_tls

Connect = Callable[[], Awaitable[tuple[asyncio.StreamReader, asyncio.StreamWriter]]]

# More than the buffers of both sockets, no multiple of a record, and no question mark in it.
LARGE = bytes(range(64, 251)) * 50_000


class Peer(asyncio.Protocol):
    """The service's side of a connection."""

    def __init__(self) -> None:
        self.made = asyncio.Event()
        self.lost = asyncio.Event()
        self.paused = asyncio.Event()
        self.received = bytearray()
        self.is_writable = True

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.made.set()

    def data_received(self, data: bytes) -> None:
        self.received += data
        if data.endswith(b"?"):
            self.transport.write(b"answer")

    def pause_writing(self) -> None:
        self.is_writable = False
        self.paused.set()

    def resume_writing(self) -> None:
        self.is_writable = True

    def connection_lost(self, error: Exception | None) -> None:
        self.lost.set()


@pytest.fixture
def tls(tmp_path: Path) -> LoopbackTls:
    return make_loopback_tls(tmp_path)


@pytest.fixture
def peers() -> list[Peer]:
    """In the order in which their connections were accepted."""
    return []


@pytest.fixture
async def listener(tls: LoopbackTls, peers: list[Peer]) -> AsyncIterator[TlsListener]:
    def make() -> Peer:
        peers.append(Peer())
        return peers[-1]

    listener = TlsListener(tls.server_context(), make)
    listener.start(0)
    yield listener
    listener.stop()


@pytest.fixture(params=[ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def client(tls: LoopbackTls, request: pytest.FixtureRequest) -> ssl.SSLContext:
    context = ssl.create_default_context(cafile=tls.ca)
    context.minimum_version = context.maximum_version = request.param
    return context


@pytest.fixture
async def connect(listener: TlsListener, client: ssl.SSLContext, peers: list[Peer]) -> AsyncIterator[Connect]:
    writers: list[asyncio.StreamWriter] = []

    async def connect() -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        reader, writer = await asyncio.open_connection("127.0.0.1", listener.port, ssl=client)
        writers.append(writer)
        return reader, writer

    yield connect
    for writer in writers:
        writer.transport.abort()
    for peer in peers:
        if peer.made.is_set():
            await peer.lost.wait()


async def test_both_sides_are_answered(connect: Connect, peers: list[Peer]) -> None:
    reader, writer = await connect()
    writer.write(LARGE + b"?")
    assert await reader.readexactly(6) == b"answer"
    assert peers[0].received == LARGE + b"?"
    transport = peers[0].transport
    assert transport.get_extra_info("peername") == writer.get_extra_info("sockname")
    assert transport.get_extra_info("sockname") == writer.get_extra_info("peername")
    assert isinstance(transport.get_extra_info("sslcontext"), ssl.SSLContext)
    writer.close()
    await peers[0].lost.wait()


async def test_a_slow_reader_gets_all_of_it(connect: Connect, peers: list[Peer]) -> None:
    reader, writer = await connect()
    writer.write(b"?")
    assert await reader.readexactly(6) == b"answer"
    for piece in (LARGE, b"", LARGE, b"end"):
        peers[0].transport.write(piece)
    assert not peers[0].is_writable
    peers[0].transport.close()  # once all is sent
    peers[0].transport.write(b"too late")
    assert await reader.read() == LARGE + LARGE + b"end"
    await peers[0].lost.wait()
    assert peers[0].is_writable


async def test_reading_pauses(connect: Connect, peers: list[Peer]) -> None:
    reader, writer = await connect()
    writer.write(b"?")
    await reader.readexactly(6)
    peers[0].transport.pause_reading()
    writer.write(b"more?")
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05):
            await reader.read(1)
    peers[0].transport.resume_reading()
    assert await reader.readexactly(6) == b"answer"


async def test_who_reads_nothing_is_disconnected(
    connect: Connect, peers: list[Peer], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tls_transport, "CLOSE_SECONDS", 0.01)
    reader, writer = await connect()
    writer.write(b"?")
    await reader.readexactly(6)
    writer.transport.pause_reading()  # type: ignore[attr-defined]  # a read transport, too
    peers[0].transport.write(LARGE * 2)
    peers[0].transport.close()
    await peers[0].lost.wait()


async def test_who_makes_no_handshake_is_disconnected(
    listener: TlsListener, peers: list[Peer], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tls_transport, "HANDSHAKE_SECONDS", 0.01)
    reader, writer = await asyncio.open_connection("127.0.0.1", listener.port)
    assert await reader.read() == b""
    assert not peers[0].made.is_set()
    writer.close()


async def test_too_many_open_files(listener: TlsListener, connect: Connect, monkeypatch: pytest.MonkeyPatch) -> None:
    """Connections wait in the queue of the kernel until there is room again."""
    refused = asyncio.Event()
    monkeypatch.setattr(tls_listener, "PAUSE_SECONDS", 0.01)
    monkeypatch.setattr(tls_listener.log, "error", lambda *_: refused.set())
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    with socket.socket() as first:  # it has the lowest free number, so accept(2) would need a higher one
        first.setblocking(False)
        resource.setrlimit(resource.RLIMIT_NOFILE, (first.fileno() + 1, limits[1]))
        try:
            await asyncio.get_running_loop().sock_connect(first, ("127.0.0.1", listener.port))
            await refused.wait()
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, limits)
    reader, writer = await connect()
    writer.write(b"?")
    assert await reader.readexactly(6) == b"answer"
