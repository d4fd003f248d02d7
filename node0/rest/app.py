"""The web application: every resource's handlers, bound to the one table of routes."""

from __future__ import annotations

from aiohttp import web

from agent.machine.clock import Clock
from node0.conductor import Conductor
from node0.join.desk import JoinDesk
from node0.lifecycle.steps import StepPlan
from node0.rest import bind, health
from node0.rest.auth import Gatekeeper
from node0.rest.clusters import Clusters
from node0.rest.errors import answer_errors
from node0.rest.events import Events
from node0.rest.hosts import Hosts
from node0.rest.infra_envs import InfraEnvs
from node0.rest.instructions import Instructions
from node0.rest.joining import Joining
from node0.rest.progress import HostProgress
from node0.store.location import Locations
from node0.trust.host_tokens import HostTokens

# An inventory of a machine with hundreds of disks has some hundred KiB.
MAX_BODY_BYTES = 4 * 1024 * 1024


def make_app(
    *,
    conductor: Conductor,
    gatekeeper: Gatekeeper,
    host_tokens: HostTokens,
    locations: Locations,
    desk: JoinDesk,
    clock: Clock,
) -> web.Application:
    """Raises TypeError when a route has no handler, or one that does not fit."""
    steps = StepPlan(clock=clock)
    handlers = {
        **Clusters(conductor=conductor, locations=locations).handlers(),
        **InfraEnvs(conductor=conductor).handlers(),
        **Hosts(conductor=conductor, steps=steps, host_tokens=host_tokens).handlers(),
        **Instructions(conductor=conductor, steps=steps, clock=clock).handlers(),
        **Joining(desk=desk).handlers(),
        **HostProgress(conductor=conductor).handlers(),
        **Events(conductor=conductor).handlers(),
    }
    app = web.Application(middlewares=[answer_errors], client_max_size=MAX_BODY_BYTES)
    app.add_routes([*bind.bind(handlers, gatekeeper), *health.ROUTES])
    return app
