"""Why a request was refused, by the kind of refusal; `node0.rest.errors` gives each kind its HTTP status."""

from __future__ import annotations

from agent.api.problems import Problem


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
