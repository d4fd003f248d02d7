"""Which request a change is made for: the events it leads to carry its id. A deadline that passes has none."""

from __future__ import annotations

from contextvars import ContextVar

REQUEST_ID: ContextVar[str] = ContextVar("request_id", default="")
"""Empty where no request is answered. A task that is started while one is, has it too."""
