"""The request that causes a change: its events carry the request's id. A deadline has no request."""

from __future__ import annotations

from contextvars import ContextVar

REQUEST_ID: ContextVar[str] = ContextVar("request_id", default="")
"""Empty outside of requests. A task that a request starts inherits it."""
