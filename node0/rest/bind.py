"""Routes and handlers, joined and checked: the service does not start with one that is missing or does not fit.

A handler is an async callable with keyword parameters named after what it wants: the path's parameters, the query's
(with `-` as `_`, annotated with the type to convert to, with a default), `body`, and `caller` for the token's claims.
It returns what the route promises.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping
from string import Formatter
from typing import Any

import msgspec
from aiohttp import web

from agent.api.routes import BASE, ROUTES, Nothing, Route
from node0.refusals import BadRequest
from node0.rest.auth import Gatekeeper
from node0.trust.tokens import Claims

Handler = Callable[..., Awaitable[Any]]
Handlers = Mapping[Route[Any, Any], Handler]


def bind(handlers: Handlers, gatekeeper: Gatekeeper) -> list[web.RouteDef]:
    """aiohttp's routes for all of `ROUTES`. Raises TypeError naming every operation that does not fit."""
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
    return [
        web.RouteDef(route.method, BASE + route.path, _endpoint(route, handlers[route], gatekeeper), _options(route))
        for route in ROUTES
    ]


def _options(route: Route[Any, Any]) -> dict[str, Any]:
    """aiohttp answers HEAD with the handler of GET; a long poll is nothing to have a look at."""
    return {"allow_head": False} if route.method == "GET" else {}


def _path_names(route: Route[Any, Any]) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(route.path) if name}


def _query_names(route: Route[Any, Any]) -> dict[str, str]:
    """Parameter of the handler → name in the query."""
    return {name.replace("-", "_"): name for name in route.query}


def _faults(route: Route[Any, Any], handler: Handler) -> list[str]:
    signature = inspect.signature(handler, eval_str=True)
    wanted = _path_names(route) | _query_names(route).keys() | ({"body"} if route.body is not Nothing else set())
    given = signature.parameters.keys() - {"caller"}
    faults = [f"its handler takes no {name!r}" for name in sorted(wanted - given)]
    faults += [f"its handler takes {name!r}, which the route does not have" for name in sorted(given - wanted)]
    if "body" in wanted & given and signature.parameters["body"].annotation is not route.body:
        faults.append(f"its handler's body is not {route.body.__name__}")
    reply = None if route.reply is Nothing else route.reply
    if signature.return_annotation != reply:
        faults.append(f"its handler returns {signature.return_annotation}, not {reply}")
    for name in _query_names(route).keys() & given:
        if signature.parameters[name].default is inspect.Parameter.empty:
            faults.append(f"its handler's {name!r} has no default")
    return faults


def _endpoint(
    route: Route[Any, Any], handler: Handler, gatekeeper: Gatekeeper
) -> Callable[[web.Request], Awaitable[web.Response]]:
    parameters = inspect.signature(handler, eval_str=True).parameters
    queries = {parameter: (name, parameters[parameter].annotation) for parameter, name in _query_names(route).items()}

    async def endpoint(request: web.Request) -> web.Response:
        claims: Claims = gatekeeper.admit(request, route)
        arguments: dict[str, Any] = dict(request.match_info)
        for parameter, (name, type_) in queries.items():
            if name in request.query:
                arguments[parameter] = _converted(name, request.query[name], type_)
        if route.body is not Nothing:
            arguments["body"] = _decoded(await request.read(), route.body)
        if "caller" in parameters:
            arguments["caller"] = claims
        reply = await handler(**arguments)
        content = b"" if route.reply is Nothing else msgspec.json.encode(reply)
        return web.Response(status=route.status, body=content, content_type="application/json")

    return endpoint


def _converted(name: str, text: str, type_: Any) -> Any:
    try:
        return msgspec.convert(text, type_, strict=False)
    except msgspec.ValidationError as error:
        raise BadRequest(code="query-invalid", title=f"Query parameter {name}={text!r}: {error}") from error


def _decoded(content: bytes, type_: type[Any]) -> Any:
    try:
        return msgspec.json.decode(content, type=type_)
    except msgspec.DecodeError as error:
        raise BadRequest(code="body-invalid", title=f"The request's body does not fit: {error}") from error
