"""Routes and handlers, joined and checked: the service does not start with one that is missing or does not fit.

A handler is an async callable with keyword parameters named after what it wants: the path's parameters, the query's
(with `-` as `_`, annotated with the type to convert to; without a default it must be given), `body`, `caller` for the
token's claims, and `headers`, a dictionary for the answer's. It returns what the route promises.
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
from agent.api.routes import BASE, LEFT_OUT, ROUTES, EventStream, File, LeftOut, Nothing, Route, TokenRole, Upload
from node0.refusals import LeftOutHere
from node0.rest import answers, bodies
from node0.rest.answers import Download, WithHosts
from node0.rest.auth import Gatekeeper
from node0.rest.bodies import Upfile
from node0.rest.latency import Latencies

log = logging.getLogger(__name__)

Handler = Callable[..., Awaitable[Any]]
Handlers = Mapping[Route[Any, Any], Handler]
Endpoint = Callable[[web.Request], Awaitable[web.StreamResponse]]

# What a handler is given and returns for the kinds of body and reply that are not JSON, or too much of it to be made at
# once.
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
    """aiohttp's routes for all of `ROUTES` and `LEFT_OUT`. Raises TypeError naming what does not fit."""
    wrong = [f"{route.operation} has no handler" for route in ROUTES if route not in handlers]
    wrong += [
        f"{route.operation}: {fault}"
        for route in ROUTES
        if route in handlers
        for fault in _faults(route, handlers[route])
    ]
    wrong += [f"{route.operation} is not in the table" for route in handlers if route not in ROUTES]
    if wrong:
        raise TypeError("handlers and routes do not fit: " + "; ".join(wrong))
    bound: list[tuple[Route[Any, Any] | LeftOut, Endpoint]] = [
        *((route, _endpoint(route, handlers[route], gatekeeper)) for route in ROUTES),
        *((row, _refusal(row, gatekeeper)) for row in LEFT_OUT),
    ]
    # Fixed paths first: `default-config` is no cluster's id.
    return sorted(
        (_definition(row, latencies.measured(row.operation, endpoint)) for row, endpoint in bound),
        key=lambda definition: "{" in definition.path,
    )


def _definition(row: Route[Any, Any] | LeftOut, endpoint: Endpoint) -> web.RouteDef:
    """aiohttp answers HEAD with the handler of GET; a long poll is nothing to have a look at."""
    options = {"allow_head": False} if row.method == "GET" else {}
    return web.RouteDef(row.method, BASE + row.path, endpoint, options)


def _path_names(route: Route[Any, Any]) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(route.path) if name}


def _query_names(route: Route[Any, Any]) -> dict[str, str]:
    """Parameter of the handler → name in the query."""
    return {name.replace("-", "_"): name for name in route.query}


def _faults(route: Route[Any, Any], handler: Handler) -> list[str]:
    signature = inspect.signature(handler, eval_str=True)
    wanted = _path_names(route) | _query_names(route).keys() | ({"body"} if route.body is not Nothing else set())
    given = signature.parameters.keys() - _EXTRAS
    faults = [f"its handler takes no {name!r}" for name in sorted(wanted - given)]
    faults += [f"its handler takes {name!r}, which the route does not have" for name in sorted(given - wanted)]
    body = _BODIES.get(route.body, route.body)
    if "body" in wanted & given and signature.parameters["body"].annotation is not body:
        faults.append(f"its handler's body is not {body.__name__}")
    reply = _REPLIES.get(route.reply, route.reply)
    if signature.return_annotation != reply:
        faults.append(f"its handler returns {signature.return_annotation}, not {reply}")
    return faults


def _endpoint(route: Route[Any, Any], handler: Handler, gatekeeper: Gatekeeper) -> Endpoint:
    parameters = inspect.signature(handler, eval_str=True).parameters
    queries = {name: parameters[parameter] for parameter, name in _query_names(route).items()}

    async def endpoint(request: web.Request) -> web.StreamResponse:
        claims = gatekeeper.admit(request, route.operation, route.roles)
        headers: CIMultiDict[str] = CIMultiDict()
        arguments: dict[str, Any] = {**request.match_info, **bodies.query(request, queries)}
        if route.reply is EventStream:
            arguments.update(bodies.resumed(request))
        if route.body is not Nothing:
            arguments["body"] = await bodies.read(request, route.body)
            headers.update(await _ignored(request, route))
        extras = {"caller": claims, "headers": headers}
        arguments.update({name: value for name, value in extras.items() if name in parameters})
        return await answers.respond(request, route, await handler(**arguments), headers)

    return endpoint


async def _ignored(request: web.Request, route: Route[Any, Any]) -> dict[str, str]:
    """A header (RFC 7234, 5.5) and a line in the log for fields of a user's body that mean nothing here."""
    if TokenRole.USER not in route.roles or not issubclass(route.body, msgspec.Struct):
        return {}
    names = bodies.unknown_fields(await request.read(), route.body)
    if not names:
        return {}
    words = f"{route.operation} ignores the fields {', '.join(names)}"
    log.warning("%s", words)
    return {"Warning": f'299 - "{words}"'}


def _refusal(row: LeftOut, gatekeeper: Gatekeeper) -> Endpoint:
    async def endpoint(request: web.Request) -> web.StreamResponse:
        gatekeeper.admit(request, row.operation)
        raise LeftOutHere(code="left-out", title=f"{row.operation} is left out here. {row.reason}")

    return endpoint
