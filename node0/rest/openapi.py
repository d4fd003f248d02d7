"""Serves an OpenAPI 3.1 document at `/openapi.json`, made from the table of operations."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
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
_Schemas = dict[Any, dict[str, Any]]  # by type of a body or reply
_OCTETS = {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}
_UPFILE = {
    "type": "object",
    "required": ["upfile"],
    "properties": {"upfile": {"type": "string", "format": "binary"}},
}

# Any operation may answer with these statuses.
_COMMON_STATUSES = (401, 403, 429, 503)
_DESCRIPTIONS = {
    400: "The request itself is wrong",
    401: "No token, or an invalid one",
    403: "A valid token without the right role or host",
    404: "No such cluster, infra-env, host or file",
    409: "The state does not allow it now",
    413: "Larger than the service accepts",
    429: "Too many bad tokens from this address",
    501: "Not supported by cluster0",
    503: "The disk of node0 is full, read-only or broken",
}


def route() -> web.RouteDef:
    """GET /openapi.json."""

    async def openapi(_request: web.Request) -> web.Response:
        return web.Response(body=_encoded(), content_type="application/json")

    return web.get("/openapi.json", openapi, allow_head=False)


@cache
def _encoded() -> bytes:
    """Made with the first request: all hosts wait for the start of the service, of which this would be a twentieth."""
    return msgspec.json.encode(document())


def document() -> dict[str, Any]:
    """The document, of dicts, lists and strings that encode to JSON."""
    types = _json_types()
    in_order, components = msgspec.json.schema_components(types, ref_template=_REFERENCE)
    schemas = dict(zip(types, in_order, strict=True))
    paths: dict[str, dict[str, Any]] = {}
    for operation in OPERATIONS:
        paths.setdefault(BASE + operation.path, {})[operation.method.lower()] = _operation(operation, schemas)
    for unsupported in UNSUPPORTED:
        paths.setdefault(BASE + unsupported.path, {})[unsupported.method.lower()] = _unsupported(unsupported, schemas)
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
    """The error statuses with which the operation may answer, in ascending order."""
    found = set(_COMMON_STATUSES)
    if row.body is not Nothing:
        found |= {400, 413}
    if row.query:
        found.add(400)
    if "{" in row.path:
        found.add(404)
    if row.method != "GET" or row.reply is File:
        found.add(409)
    return tuple(sorted(found))


def _json_types() -> list[Any]:
    special = {Nothing, Upload, File, EventStream}
    kinds = [kind for row in OPERATIONS for kind in (row.body, row.reply) if kind not in special]
    return [*dict.fromkeys([*kinds, Event, ErrorBody, InfraErrorBody])]


def _operation(row: Operation[Any, Any], schemas: _Schemas) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "operationId": row.operation_id,
        "summary": row.summary,
        "description": f"For tokens of role {', '.join(sorted(row.roles))}.",
        "parameters": [
            *_path_parameters(row.path),
            *({"name": name, "in": "query", "schema": {"type": "string"}} for name in row.query),
        ],
        "responses": {
            str(row.status): _success(row, schemas),
            **{str(status): _error(status, schemas) for status in statuses(row)},
        },
    }
    if row.body is Upload:
        operation["requestBody"] = {"required": True, "content": {"multipart/form-data": {"schema": _UPFILE}}}
    elif row.body is not Nothing:
        content = {"application/json": {"schema": schemas[row.body]}}
        operation["requestBody"] = {"required": True, "content": content}
    return operation


def _unsupported(row: UnsupportedOperation, schemas: _Schemas) -> dict[str, Any]:
    return {
        "operationId": row.operation_id,
        "summary": f"Not supported: {row.reason}",
        "deprecated": True,
        "parameters": list(_path_parameters(row.path)),
        "responses": {str(status): _error(status, schemas) for status in (*_COMMON_STATUSES, 501)},
    }


def _path_parameters(path: str) -> Iterator[dict[str, Any]]:
    for _, name, _, _ in Formatter().parse(path):
        if name:
            yield {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}


def _success(row: Operation[Any, Any], schemas: _Schemas) -> dict[str, Any]:
    if row.reply is Nothing:
        return {"description": "Done"}
    if row.reply is File:
        return {"description": "The file", "content": _OCTETS}
    if row.reply is EventStream:
        return {"description": "Events, until the client disconnects", "content": {"text/event-stream": {}}}
    headers = {name: {"schema": {"type": "integer"}} for name in row.answer_headers}
    content = {"application/json": {"schema": schemas[row.reply]}}
    return {"description": "Done", "content": content, **({"headers": headers} if headers else {})}


def _error(status: int, schemas: _Schemas) -> dict[str, Any]:
    body = InfraErrorBody if status in {401, 403} else ErrorBody
    return {"description": _DESCRIPTIONS[status], "content": {"application/json": {"schema": schemas[body]}}}
