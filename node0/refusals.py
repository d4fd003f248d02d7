"""Why a request was refused, by the kind of refusal; `node0.rest.server.middleware` gives each kind its HTTP status."""

from __future__ import annotations

from agent.model.problems import Problem


class BadRequest(Problem):
    """The request itself is wrong, whatever the state."""


class Unauthorized(Problem):
    """No token, or not a good one."""


class Forbidden(Problem):
    """A good token, for something else."""


class NotFound(Problem):
    """No such cluster, infra-env or host here."""


class Conflict(Problem):
    """The state does not allow it now."""


class TooLarge(Problem):
    """More than the service takes."""


class TooMany(Problem):
    """Too many failures from one address; it may try again later."""


class Unavailable(Problem):
    """The service cannot do it now, through no fault of the request: its disk is full, read-only or broken."""


class LeftOutHere(Problem):
    """An operation of assisted-service that means nothing here."""
