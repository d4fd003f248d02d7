"""Bodies and queries of requests: read within limits of size and time, and converted to the handler's arguments."""

from __future__ import annotations

import asyncio
import inspect
import re
from collections.abc import AsyncIterator, Mapping
from typing import Any

import msgspec
from aiohttp import BodyPartReader, web

from node0.refusals import BadRequest

# How long a client may take to send its body.
BODY_SECONDS = 60.0

_CHUNK = 64 * 1024

_NOT_IN_HEADERS = re.compile(r"[^\w.-]", re.ASCII)


class Upfile:
    """An uploaded file, read in chunks: it may be larger than memory."""

    def __init__(self, part: BodyPartReader) -> None:
        self._part = part

    async def chunks(self) -> AsyncIterator[bytes]:
        """Raises `BadRequest` when the upload stalls or is cut short."""
        while True:
            try:
                async with asyncio.timeout(BODY_SECONDS):
                    chunk = await self._part.read_chunk(_CHUNK)
            except (ValueError, AssertionError, RuntimeError, TimeoutError) as error:
                raise BadRequest(code="upfile-broken", title=f"The upload was cut short: {error}") from error
            if not chunk:
                return
            yield chunk


async def content(request: web.Request) -> bytes:
    """The body, which `request` does not keep: a thousand requests may wait with theirs. Raises `BadRequest`."""
    found = bytearray()
    try:
        async with asyncio.timeout(BODY_SECONDS):
            async for chunk in request.content.iter_any():
                found += chunk
                if len(found) > request.client_max_size:
                    raise web.HTTPRequestEntityTooLarge(request.client_max_size, len(found))
    except TimeoutError:
        raise BadRequest(
            code="body-slow", title=f"The request's body did not arrive within {BODY_SECONDS:g} seconds."
        ) from None
    return bytes(found)


async def upfile(request: web.Request) -> Upfile:
    """The file of a multipart body. Raises `BadRequest`."""
    missing = BadRequest(code="upfile-missing", title="The body is not multipart/form-data with the file in upfile.")
    try:
        reader = await request.multipart()
        async with asyncio.timeout(BODY_SECONDS):
            while (part := await reader.next()) is not None:
                if isinstance(part, BodyPartReader) and part.name == "upfile":
                    return Upfile(part)
    except (ValueError, AssertionError, RuntimeError, TimeoutError) as error:
        raise missing from error
    raise missing


def unknown_fields(content: bytes, kind: type[msgspec.Struct]) -> list[str]:
    """Names in a body that `kind` does not have: at most ten, made safe for a header.

    go-swagger's servers ignore such fields, and existing clients send some. We ignore them too, but report them.
    """
    known = {field.encode_name for field in msgspec.structs.fields(kind)}
    given = msgspec.json.decode(content.decode(errors="replace"), type=dict[str, msgspec.Raw])
    return [_NOT_IN_HEADERS.sub("?", name)[:50] for name in given if name not in known][:10]


def query(request: web.Request, parameters: Mapping[str, inspect.Parameter]) -> dict[str, Any]:
    """The query as arguments of the handler; `parameters`: name in the query → parameter. Raises `BadRequest`."""
    missing = [
        name
        for name, parameter in parameters.items()
        if parameter.default is inspect.Parameter.empty and name not in request.query
    ]
    if missing:
        raise BadRequest(code="query-missing", title=f"Query parameters are missing: {', '.join(missing)}.")
    return {
        parameter.name: _converted(name, request.query[name], parameter.annotation)
        for name, parameter in parameters.items()
        if name in request.query
    }


def resumed(request: web.Request) -> dict[str, int]:
    """Where an interrupted stream continues: browsers send the id of the last event."""
    last = request.headers.get("Last-Event-ID", "")
    return {"after": int(last)} if last.isdecimal() and len(last) < 16 else {}


def _converted(name: str, text: str, kind: Any) -> Any:
    if kind is str:
        return text
    try:
        return msgspec.convert(text, kind, strict=False)
    except msgspec.ValidationError as error:
        raise BadRequest(code="query-invalid", title=f"Query parameter {name}={text[:100]!r}: {error}") from error


def decoded(content: bytes, kind: Any) -> Any:
    """JSON as `kind`. Raises `BadRequest`."""
    try:
        return msgspec.json.decode(content, type=kind)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise BadRequest(code="body-invalid", title=f"The request's body does not fit: {error}") from error
