"""What happens to every request: it gets an id, and every error becomes JSON.

The id is the client's own, or a new one. The answer carries it, and so do the events that the request causes.
"""

from __future__ import annotations

import logging
import re
import uuid
from collections.abc import Awaitable, Callable

import msgspec
from aiohttp import web

from agent.api.errors import ErrorBody, InfraErrorBody
from agent.model.problems import Problem
from node0.cause import REQUEST_ID
from node0.refusals import (
    BadRequest,
    Conflict,
    Forbidden,
    LeftOutHere,
    NotFound,
    TooLarge,
    TooMany,
    Unauthorized,
    Unavailable,
)

log = logging.getLogger(__name__)

REQUEST_ID_HEADER = "X-Request-ID"

# The ids that are accepted from a client: they are stored with each event.
_CLIENT_ID = re.compile(r"[0-9A-Za-z._-]{1,64}")

STATUS: dict[type[Problem], int] = {
    BadRequest: 400,
    Unauthorized: 401,
    Forbidden: 403,
    NotFound: 404,
    Conflict: 409,
    TooLarge: 413,
    TooMany: 429,
    LeftOutHere: 501,
    Unavailable: 503,
}


# Conditions that pass by themselves: a client may try again after so many seconds.
_RETRY_AFTER = {429: "5", 503: "5"}


def status_of(error: Exception) -> int:
    """The HTTP status that `error` is answered with."""
    if isinstance(error, web.HTTPException):
        return error.status
    return STATUS.get(type(error), 500) if isinstance(error, Problem) else 500


Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@web.middleware
async def assign_request_id(request: web.Request, handler: Handler) -> web.StreamResponse:
    given = request.headers.get(REQUEST_ID_HEADER, "")
    REQUEST_ID.set(given if _CLIENT_ID.fullmatch(given) else str(uuid.uuid4()))
    return await handler(request)


async def add_request_id(_request: web.Request, response: web.StreamResponse) -> None:
    """A signal handler: a stream has sent its headers long before its handler ends."""
    response.headers[REQUEST_ID_HEADER] = REQUEST_ID.get()


@web.middleware
async def answer_errors(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Errors as the two error bodies of assisted-service."""
    try:
        return await handler(request)
    except Problem as problem:
        words = "\n".join(part for part in (problem.title, problem.detail, problem.remedy) if part)
        return _response(status_of(problem), words, problem.code)
    except web.HTTPException as error:
        return _response(error.status, f"{request.method} {request.path}: {error.reason}", f"http-{error.status}")
    except Exception:
        log.exception("bug while answering %s %s", request.method, request.path)
        return _response(500, "node0 has a bug; its journal says more (journalctl -u cluster0-node0).", "bug")


def _response(status: int, words: str, problem: str) -> web.Response:
    body: msgspec.Struct
    if status in {401, 403}:
        body = InfraErrorBody(code=status, message=words, problem=problem)
    else:
        body = ErrorBody(code=str(status), id=status, reason=words, problem=problem)
    headers = {"Retry-After": _RETRY_AFTER[status]} if status in _RETRY_AFTER else {}
    return web.Response(status=status, body=msgspec.json.encode(body), content_type="application/json", headers=headers)
