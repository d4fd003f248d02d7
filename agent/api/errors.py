"""How a call of the REST API fails: the two bodies that a refusal has, and why no answer came."""

from __future__ import annotations

import errno
import os
import ssl

import aiohttp
import msgspec

_HOST_IS_UP = frozenset({errno.ECONNREFUSED, errno.ECONNRESET, errno.EPIPE})


class ErrorBody(msgspec.Struct, frozen=True, kw_only=True):
    """assisted-service's `error`, for every status but 401 and 403. `problem` is our addition: the stable code."""

    code: str
    reason: str
    id: int
    kind: str = "Error"
    href: str = ""
    problem: str = ""


class InfraErrorBody(msgspec.Struct, frozen=True, kw_only=True):
    """assisted-service's `infra_error`, for 401 and 403. `problem` is our addition: the stable code."""

    code: int
    message: str
    problem: str = ""


def connection_error_text(error: BaseException) -> str:
    """Why a request got no answer: the operating system's text if any, because aiohttp's repeats the address."""
    if isinstance(error, TimeoutError):
        return "nothing came in time"
    is_tls = isinstance(error, ssl.SSLError | aiohttp.ClientSSLError)  # these have error numbers of their own
    if isinstance(error, OSError) and not is_tls and (error.errno or 0) > 0:
        return os.strerror(error.errno or 0)
    return str(error) or type(error).__name__


def host_is_up(error: BaseException | None) -> bool:
    """Whether the failed connection shows that node0 is up although its service does not answer."""
    if isinstance(error, aiohttp.ClientSSLError):
        return False
    refused = isinstance(error, aiohttp.ClientOSError) and error.errno in _HOST_IS_UP
    return refused or isinstance(error, aiohttp.ServerDisconnectedError)
