"""The guard finds blocking calls of the product on an event loop, and no other calls."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from tests.guard import blocking_calls
from tests.guard.allowed_calls import ALLOWED, Allowed
from tests.guard.blocking_calls import BlockingCalls
from tests.paths import REPOSITORY

PRODUCT = """
import asyncio, socket, subprocess, time
from pathlib import Path

def nap(): time.sleep(0)
async def sleep(): nap()
async def run(): subprocess.run(["true"])
async def resolve(): socket.getaddrinfo("localhost", 1)
async def read(): Path("/proc/self/status").read_text()
async def in_a_thread(): await asyncio.to_thread(nap)
async def look(): Path("/").stat()
async def generate():
    nap()
    yield 1
async def iterate():
    async for _ in generate(): pass
async def call_back():
    asyncio.get_running_loop().call_soon(nap)
    await asyncio.sleep(0)
"""


@pytest.fixture
def product(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.setattr(blocking_calls, "_PRODUCT", f"{tmp_path}/")
    module = ModuleType("product")
    exec(compile(PRODUCT, f"{tmp_path}/agent/product.py", "exec"), module.__dict__)
    return module


@pytest.fixture
def calls() -> Iterator[BlockingCalls]:
    calls = BlockingCalls()
    with calls.watching():
        yield calls


@pytest.mark.parametrize(
    ("name", "function", "line"),
    [
        ("sleep", "time.sleep", "in nap"),
        ("run", "os.read", "in run"),
        ("resolve", "socket.getaddrinfo", "in resolve"),
        ("read", "io.TextIOWrapper.read", "in read"),
        ("iterate", "time.sleep", "in nap"),
        ("call_back", "time.sleep", "in nap"),
    ],
)
def test_the_product_blocks_its_loop(
    product: ModuleType, calls: BlockingCalls, name: str, function: str, line: str
) -> None:
    asyncio.run(getattr(product, name)())
    descriptions = [calls.describe(call) for call in calls.present()]
    assert [text for text in descriptions if text.startswith(f"{function}\n") and line in text], descriptions


@pytest.mark.parametrize("name", ["in_a_thread", "look"])
def test_what_blocks_nothing_is_fine(product: ModuleType, calls: BlockingCalls, name: str) -> None:
    asyncio.run(getattr(product, name)())
    assert calls.present() == frozenset()


def test_a_test_may_block_its_own_loop(product: ModuleType, calls: BlockingCalls) -> None:
    async def test() -> None:
        product.nap()
        time.sleep(0)  # noqa: ASYNC251

    asyncio.run(test())
    assert calls.present() == frozenset()


def test_a_call_is_allowed_by_the_function_it_goes_through(
    product: ModuleType, calls: BlockingCalls, monkeypatch: pytest.MonkeyPatch
) -> None:
    allowed = Allowed("/agent/product.py", frozenset({"nap"}), "a test")
    monkeypatch.setattr(blocking_calls, "ALLOWED", (allowed,))
    asyncio.run(product.sleep())
    assert calls.present() == frozenset()


def test_every_allowed_function_is_there() -> None:
    """An entry whose file or function was renamed would allow nothing and stay unnoticed."""
    for allowed in ALLOWED:
        if allowed.file.startswith(("/agent/", "/client/")):
            text = (REPOSITORY / allowed.file.lstrip("/")).read_text()
            assert all(f"def {name}(" in text for name in allowed.functions), allowed
