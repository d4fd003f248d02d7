"""A client of one connection over plain HTTP/1.1 that needs so little CPU that a bench measures the service."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import msgspec

from agent.api.operations import BASE, Operation


class PlainClient:
    """Calls operations of the service at 127.0.0.1:`port`. Use as an async context manager."""

    def __init__(self, port: int) -> None:
        self._port = port

    async def __aenter__(self) -> PlainClient:
        self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port, limit=2**24)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._writer.close()
        await self._writer.wait_closed()

    async def call(
        self, operation: Operation[Any, Any], token: str, body: msgspec.Struct | None, path: Mapping[str, object]
    ) -> Any:
        """The reply; `path` fills the braces of `operation`. Raises AssertionError for another status than its own."""
        content = b"" if body is None else msgspec.json.encode(body)
        self._writer.write(
            f"{operation.method} {BASE}{operation.path.format(**path)} HTTP/1.1\r\n"
            f"Host: node0\r\nAuthorization: Bearer {token}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n".encode()
            + content
        )
        status, *headers = (await self._reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        length = next((line.partition(":")[2] for line in headers if line.lower().startswith("content-length:")), "0")
        answer = await self._reader.readexactly(int(length))
        assert int(status.split()[1]) == operation.status, f"{operation.operation_id}: {status} {answer.decode()}"
        return msgspec.json.decode(answer, type=operation.reply) if answer else None
