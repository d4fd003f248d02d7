"""Routes and handlers, joined and checked: the service does not start with one that is missing or does not fit.

A handler is an async callable with keyword parameters named after what it wants: the path's parameters, the query's
(with `-` as `_`, annotated with the type to convert to; without a default it must be given), `body`, `caller` for the
token's claims, and `headers`, a dictionary for the answer's. It returns what the operation promises.
"""

from __future__ import annotations

import inspect
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from string import Formatter
from typing import Any

import msgspec
from aiohttp import web
from multidict import CIMultiDict

from agent.api.clusters import Cluster
from agent.api.events import Event
from agent.api.hosts import Host
from agent.api.operations import (
    BASE,
    OPERATIONS,
    UNSUPPORTED,
    EventStream,
    File,
    Nothing,
    Operation,
    TokenRole,
    UnsupportedOperation,
    Upload,
)
from node0.refusals import LeftOutHere
from node0.rest.metrics.latency import Latencies
from node0.rest.server import answers, bodies
from node0.rest.server.answers import Download, WithHosts
from node0.rest.server.auth import Gatekeeper
from node0.rest.server.bodies import Upfile

log = logging.getLogger(__name__)

Handler = Callable[..., Awaitable[Any]]
Handlers = Mapping[Operation[Any, Any], Handler]
Endpoint = Callable[[web.Request], Awaitable[web.StreamResponse]]

# The types that a handler takes and returns for bodies and replies that are not JSON, or too large to encode at once.
_BODIES: dict[Any, Any] = {Upload: Upfile}
_REPLIES: dict[Any, Any] = {
    Nothing: None,
    File: Download,
    EventStream: AsyncIterator[Event],
    list[Host]: Iterator[Host],
    Cluster: WithHosts,
}

_EXTRAS = frozenset({"caller", "headers"})


def bind(handlers: Handlers, gatekeeper: Gatekeeper, latencies: Latencies) -> list[web.RouteDef]:
    """aiohttp's routes for all of `OPERATIONS` and `UNSUPPORTED`. Raises TypeError that names every mismatch."""
    wrong = [f"{operation.operation_id} has no handler" for operation in OPERATIONS if operation not in handlers]
    wrong += [
        f"{operation.operation_id}: {fault}"
        for operation in OPERATIONS
        if operation in handlers
        for fault in _faults(operation, handlers[operation])
    ]
    wrong += [f"{operation.operation_id} is not in the table" for operation in handlers if operation not in OPERATIONS]
    if wrong:
        raise TypeError("handlers and operations do not fit: " + "; ".join(wrong))
    bound: list[tuple[Operation[Any, Any] | UnsupportedOperation, Endpoint]] = [
        *((operation, _endpoint(operation, handlers[operation], gatekeeper)) for operation in OPERATIONS),
        *((row, _refusal(row, gatekeeper)) for row in UNSUPPORTED),
    ]
    # Fixed paths first: `default-config` is not the id of a cluster.
    return sorted(
        (_definition(row, latencies.measured(row.operation_id, endpoint)) for row, endpoint in bound),
        key=lambda definition: "{" in definition.path,
    )


def _definition(row: Operation[Any, Any] | UnsupportedOperation, endpoint: Endpoint) -> web.RouteDef:
    """No HEAD, which aiohttp would answer with the handler of GET: some of those are long polls."""
    options = {"allow_head": False} if row.method == "GET" else {}
    return web.RouteDef(row.method, BASE + row.path, endpoint, options)


def _path_names(operation: Operation[Any, Any]) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(operation.path) if name}


def _query_names(operation: Operation[Any, Any]) -> dict[str, str]:
    """Parameter of the handler → name in the query."""
    return {name.replace("-", "_"): name for name in operation.query}


def _faults(operation: Operation[Any, Any], handler: Handler) -> list[str]:
    signature = inspect.signature(handler, eval_str=True)
    expected = (
        _path_names(operation) | _query_names(operation).keys() | ({"body"} if operation.body is not Nothing else set())
    )
    given = signature.parameters.keys() - _EXTRAS
    faults = [f"its handler takes no {name!r}" for name in sorted(expected - given)]
    faults += [f"its handler takes {name!r}, which the operation does not have" for name in sorted(given - expected)]
    body = _BODIES.get(operation.body, operation.body)
    if "body" in expected & given and signature.parameters["body"].annotation is not body:
        faults.append(f"its handler's body is not {body.__name__}")
    reply = _REPLIES.get(operation.reply, operation.reply)
    if signature.return_annotation != reply:
        faults.append(f"its handler returns {signature.return_annotation}, not {reply}")
    return faults


def _endpoint(operation: Operation[Any, Any], handler: Handler, gatekeeper: Gatekeeper) -> Endpoint:
    parameters = inspect.signature(handler, eval_str=True).parameters
    queries = {name: parameters[parameter] for parameter, name in _query_names(operation).items()}

    async def endpoint(request: web.Request) -> web.StreamResponse:
        claims = gatekeeper.admit(request, operation.operation_id, operation.roles)
        headers: CIMultiDict[str] = CIMultiDict()
        arguments: dict[str, Any] = {**request.match_info, **bodies.query(request, queries)}
        if operation.reply is EventStream:
            arguments.update(bodies.resumed(request))
        if operation.body is Upload:
            arguments["body"] = await bodies.upfile(request)
        elif operation.body is not Nothing:
            content = await bodies.content(request)
            arguments["body"] = bodies.decoded(content, operation.body)
            headers.update(_ignored(content, operation))
            del content
        extras = {"caller": claims, "headers": headers}
        arguments.update({name: value for name, value in extras.items() if name in parameters})
        handling = handler(**arguments)
        arguments.clear()  # only the handler knows how long it needs the body
        return await answers.respond(request, operation, await handling, headers)

    return endpoint


def _ignored(content: bytes, operation: Operation[Any, Any]) -> dict[str, str]:
    """A header (RFC 7234, 5.5) and a log line for unknown fields in the body of a user's request."""
    if TokenRole.USER not in operation.roles or not issubclass(operation.body, msgspec.Struct):
        return {}
    names = bodies.unknown_fields(content, operation.body)
    if not names:
        return {}
    words = f"{operation.operation_id} ignores the fields {', '.join(names)}"
    log.warning("%s", words)
    return {"Warning": f'299 - "{words}"'}


def _refusal(row: UnsupportedOperation, gatekeeper: Gatekeeper) -> Endpoint:
    async def endpoint(request: web.Request) -> web.StreamResponse:
        gatekeeper.admit(request, row.operation_id)
        raise LeftOutHere(code="left-out", title=f"{row.operation_id} is left out here. {row.reason}")

    return endpoint
