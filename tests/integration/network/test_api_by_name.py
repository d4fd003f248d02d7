"""The probe of the API's name: names that work, that do not resolve, that another server answers for."""

from __future__ import annotations

import asyncio
import ssl
import threading
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from aiohttp import web

from agent.api.client import pinned_tls
from agent.machine.clock import Clock
from client.observe.name_probe import NameProbe
from tests.fakes.system.tls import LoopbackTls, make_loopback_tls

pytestmark = pytest.mark.integration


@pytest.fixture
def tls(tmp_path: Path) -> LoopbackTls:
    return make_loopback_tls(tmp_path)


async def version(_: web.Request) -> web.Response:
    return web.json_response({"gitVersion": "v1.33.1"})


@pytest.fixture
async def port(tls: LoopbackTls) -> AsyncIterator[int]:
    """Of an API server, as far as its version."""
    app = web.Application()
    app.router.add_get("/version", version)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0, ssl_context=tls.server_context()).start()
    yield runner.addresses[0][1]
    await runner.cleanup()


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("127.0.0.1", ""),
        ("localhost", "another server answers there, or its certificate is not for this name"),
        ("api.demo.invalid", "the name does not resolve on this computer"),
    ],
)
async def test_each_state_of_the_api_name_is_detected(tls: LoopbackTls, port: int, name: str, why: str) -> None:
    probe = NameProbe(name, port, pinned_tls(tls.ca), Clock())
    probe.start_if_due()
    seen = await probe.result()
    assert seen is not None
    assert (seen.name, seen.why) == (name, why)
    await probe.close()


def test_a_resolver_that_hangs_does_not_block_the_probe(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even the end of the command: asyncio would wait for its own threads."""
    hanging = threading.Event()

    def never(*_: object, **__: object) -> None:
        hanging.wait(60)

    async def look() -> None:
        monkeypatch.setattr("socket.getaddrinfo", never)
        probe = NameProbe("api.demo.invalid", 6443, ssl.create_default_context(), Clock())
        probe.start_if_due()
        await asyncio.sleep(0)
        assert probe.seen is None
        await probe.close()

    begin = time.monotonic()
    asyncio.run(look())
    assert time.monotonic() - begin < 5
    hanging.set()
