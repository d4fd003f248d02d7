"""Finds blocking calls on an event loop: until such a call returns, the loop runs nothing else.

blockbuster lists and patches the functions that block; we leave out those that the kernel answers from memory, and
find the caller in the stack. A test's own coroutine may block its loop. The product's coroutines and callbacks may not,
neither directly nor through a library. A blocking call is not stopped; the test that made it fails at its end.
"""

from __future__ import annotations

import asyncio
import inspect
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, NamedTuple

from blockbuster import BlockBuster, BlockBusterFunction

from tests.guard.allowed_calls import ALLOWED
from tests.paths import REPOSITORY

# The kernel has names and attributes of local files in memory.
_FROM_MEMORY = ("os.stat", "os.access", "os.readlink", "os.getcwd", "os.path.")

# blockbuster does not know these.
_MORE = ("os.fsync", "os.fdatasync", "subprocess.Popen.wait", "subprocess.Popen.communicate", "socket.getaddrinfo")

_PRODUCT = f"{REPOSITORY}/"
_NOT_PRODUCT = (f"{REPOSITORY}/tests/", f"{REPOSITORY}/.venv/")
_EVENT_LOOP = f"{os.path.dirname(asyncio.__file__)}/events.py"  # noqa: PTH120 - as code objects spell it
_ASYNCHRONOUS = inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


class BlockingCall(NamedTuple):
    test: str
    function: str
    stack: str


class BlockingCalls:
    name = "blocking call on the event loop"
    may_still_end = False

    def __init__(self) -> None:
        self._found: frozenset[BlockingCall] = frozenset()
        known = BlockBuster().functions
        self._functions = [known[name] for name in known if not name.startswith(_FROM_MEMORY)]
        self._functions += [BlockBusterFunction(None, name) for name in _MORE]
        for function in self._functions:
            function.can_block_predicate = self._recording(function, function.can_block_predicate)

    @contextmanager
    def watching(self) -> Iterator[None]:
        for function in self._functions:
            function.activate()
        try:
            yield
        finally:
            for function in self._functions:
                function.deactivate()

    def present(self) -> frozenset[BlockingCall]:
        return self._found

    def describe(self, key: BlockingCall) -> str:
        return f"{key.function}\n{key.stack}"

    def remove(self, key: BlockingCall) -> None:
        """The call has returned: nothing to remove."""

    def _recording(self, function: BlockBusterFunction, cannot: Callable[..., bool]) -> Callable[..., bool]:
        """A predicate for blockbuster that records blocking calls, and lets all through.

        `cannot`: whether a call with these arguments cannot block.
        """

        def record(*args: Any, **kwargs: Any) -> bool:
            if not cannot(*args, **kwargs) and (stack := _stack_of_product(sys._getframe(1), function)):
                test = os.environ.get("PYTEST_CURRENT_TEST", "")
                self._found |= {BlockingCall(test, function.full_name, stack)}
            return True

        return record


def _stack_of_product(frame: FrameType | None, function: BlockBusterFunction) -> str:
    """The product's stack, a line for each frame, from the loop's callback or innermost coroutine to the call.

    Empty if the call is allowed, or is not the product's.
    """
    lines: list[str] = []
    while frame is not None:
        code = frame.f_code
        if _is_allowed(code.co_filename, code.co_name, function):
            return ""
        if _is_product(code.co_filename):
            lines.append(f"  {code.co_filename.removeprefix(_PRODUCT)}:{frame.f_lineno} in {code.co_name}\n")
        if code.co_flags & _ASYNCHRONOUS:
            return "".join(reversed(lines)) if _is_product(code.co_filename) else ""
        if code.co_filename == _EVENT_LOOP:
            return "".join(reversed(lines))
        frame = frame.f_back
    return ""


def _is_product(path: str) -> bool:
    return path.startswith(_PRODUCT) and not path.startswith(_NOT_PRODUCT)


def _is_allowed(path: str, name: str, function: BlockBusterFunction) -> bool:
    """Whether blockbuster (for asyncio and the import of modules) or `ALLOWED` allows the call in this function."""
    known = any(path.endswith(file) and name in names for file, names in function.can_block_functions)
    return known or any(path.endswith(allowed.file) and name in allowed.functions for allowed in ALLOWED)
