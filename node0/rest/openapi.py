"""The table of operations as an OpenAPI 3.1 document, at `/openapi.json`."""

from __future__ import annotations

from collections.abc import Iterator
from string import Formatter
from typing import Any

import msgspec
from aiohttp import web

from agent.api import operations
from agent.api.errors import ErrorBody, InfraErrorBody
from agent.api.events import Event
from agent.api.operations import (
    BASE,
    OPERATIONS,
    UNSUPPORTED,
    EventStream,
    File,
    Nothing,
    Operation,
    UnsupportedOperation,
    Upload,
)

_REFERENCE = "#/components/schemas/{name}"
_OCTETS = {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}
_UPFILE = {
    "type": "object",
    "required": ["upfile"],
    "properties": {"upfile": {"type": "string", "format": "binary"}},
}

# The statuses that any operation may answer with.
_ALWAYS = (401, 403, 429, 503)
_WORDS = {
    400: "The request itself is wrong",
    401: "No token, or an invalid one",
    403: "A valid token without the right role or host",
    404: "No such cluster, infra-env, host or file",
    409: "The state does not allow it now",
    413: "Larger than the service accepts",
    429: "Too many bad tokens from this address",
    501: "Left out here",
    503: "The disk of node0 is full, read-only or broken",
}


def route() -> web.RouteDef:
    content = msgspec.json.encode(document())

    async def openapi(_request: web.Request) -> web.Response:
        return web.Response(body=content, content_type="application/json")

    return web.get("/openapi.json", openapi, allow_head=False)


def document() -> dict[str, Any]:
    """The whole document as JSON types."""
    kinds = _json_kinds()
    schemas, components = msgspec.json.schema_components(kinds, ref_template=_REFERENCE)
    by_kind = list(zip(kinds, schemas, strict=True))
    paths: dict[str, dict[str, Any]] = {}
    for row in OPERATIONS:
        paths.setdefault(BASE + row.path, {})[row.method.lower()] = _operation(row, by_kind)
    for left_out in UNSUPPORTED:
        paths.setdefault(BASE + left_out.path, {})[left_out.method.lower()] = _left_out(left_out, by_kind)
    return {
        "openapi": "3.1.0",
        "info": {"title": "The assisted service of cluster0", "version": "2", "description": operations.__doc__},
        "paths": dict(sorted(paths.items())),
        "components": {
            "schemas": components,
            "securitySchemes": {"token": {"type": "apiKey", "in": "header", "name": "Authorization"}},
        },
        "security": [{"token": []}],
    }


def statuses(row: Operation[Any, Any]) -> tuple[int, ...]:
    """The error statuses of `row`, in order."""
    found = set(_ALWAYS)
    if row.body is not Nothing:
        found |= {400, 413}
    if row.query:
        found.add(400)
    if "{" in row.path:
        found.add(404)
    if row.method != "GET" or row.reply is File:
        found.add(409)
    return tuple(sorted(found))


def _json_kinds() -> list[Any]:
    special = {Nothing, Upload, File, EventStream}
    kinds = [kind for row in OPERATIONS for kind in (row.body, row.reply) if kind not in special]
    return [*dict.fromkeys([*kinds, Event, ErrorBody, InfraErrorBody])]


def _schema(kind: Any, by_kind: list[tuple[Any, dict[str, Any]]]) -> dict[str, Any]:
    return next(schema for known, schema in by_kind if known == kind)


def _operation(row: Operation[Any, Any], by_kind: list[tuple[Any, dict[str, Any]]]) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "operationId": row.operation_id,
        "summary": row.summary,
        "description": f"For tokens of role {', '.join(sorted(row.roles))}.",
        "parameters": [
            *_path_parameters(row.path),
            *({"name": name, "in": "query", "schema": {"type": "string"}} for name in row.query),
        ],
        "responses": {
            str(row.status): _success(row, by_kind),
            **{str(status): _error(status, by_kind) for status in statuses(row)},
        },
    }
    if row.body is Upload:
        operation["requestBody"] = {"required": True, "content": {"multipart/form-data": {"schema": _UPFILE}}}
    elif row.body is not Nothing:
        content = {"application/json": {"schema": _schema(row.body, by_kind)}}
        operation["requestBody"] = {"required": True, "content": content}
    return operation


def _left_out(row: UnsupportedOperation, by_kind: list[tuple[Any, dict[str, Any]]]) -> dict[str, Any]:
    return {
        "operationId": row.operation_id,
        "summary": f"Left out: {row.reason}",
        "deprecated": True,
        "parameters": list(_path_parameters(row.path)),
        "responses": {str(status): _error(status, by_kind) for status in (*_ALWAYS, 501)},
    }


def _path_parameters(path: str) -> Iterator[dict[str, Any]]:
    for _, name, _, _ in Formatter().parse(path):
        if name:
            yield {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}


def _success(row: Operation[Any, Any], by_kind: list[tuple[Any, dict[str, Any]]]) -> dict[str, Any]:
    if row.reply is Nothing:
        return {"description": "Done"}
    if row.reply is File:
        return {"description": "The file", "content": _OCTETS}
    if row.reply is EventStream:
        return {"description": "Events, until the client disconnects", "content": {"text/event-stream": {}}}
    headers = {name: {"schema": {"type": "integer"}} for name in row.answer_headers}
    content = {"application/json": {"schema": _schema(row.reply, by_kind)}}
    return {"description": "Done", "content": content, **({"headers": headers} if headers else {})}


def _error(status: int, by_kind: list[tuple[Any, dict[str, Any]]]) -> dict[str, Any]:
    body = InfraErrorBody if status in {401, 403} else ErrorBody
    return {"description": _WORDS[status], "content": {"application/json": {"schema": _schema(body, by_kind)}}}
