"""Refusals and failures as the two error bodies of assisted-service: always JSON, whatever went wrong."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable

import msgspec
from aiohttp import web

from agent.api.problems import Problem
from agent.api.resources import ErrorBody, InfraErrorBody
from node0.refusals import BadRequest, Conflict, Forbidden, NotFound, Unauthorized

log = logging.getLogger(__name__)

STATUS: dict[type[Problem], int] = {
    BadRequest: 400,
    Unauthorized: 401,
    Forbidden: 403,
    NotFound: 404,
    Conflict: 409,
}


@web.middleware
async def answer_errors(
    request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
) -> web.StreamResponse:
    try:
        return await handler(request)
    except Problem as problem:
        words = "\n".join(part for part in (problem.title, problem.detail, problem.remedy) if part)
        return _response(STATUS.get(type(problem), 500), words, problem.code)
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
    return web.Response(status=status, body=msgspec.json.encode(body), content_type="application/json")
