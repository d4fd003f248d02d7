"""Why a request was refused, by the kind of refusal; `node0.rest.server.middleware` gives each kind its HTTP status."""

from __future__ import annotations

from agent.model.problems import Problem


class BadRequest(Problem):
    """The request itself is wrong, in any state."""


class Unauthorized(Problem):
    """No token, or an invalid one."""


class Forbidden(Problem):
    """A valid token without the right role or host."""


class NotFound(Problem):
    """No such cluster, infra-env, host or file."""


class Conflict(Problem):
    """The state does not allow it now."""


class TooLarge(Problem):
    """Larger than the service accepts."""


class TooMany(Problem):
    """Too many failures from one address; it may try again later."""


class Unavailable(Problem):
    """The service cannot do it now: its disk is full, read-only or broken."""


class LeftOutHere(Problem):
    """An operation of assisted-service that cluster0 does not have."""
