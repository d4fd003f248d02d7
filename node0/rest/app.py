"""The web application: every resource's handlers, bound to the one table of operations."""

from __future__ import annotations

from aiohttp import web

from agent.machine.machine import Machine
from agent.model.intent import ClusterIntent
from node0 import image_versions
from node0.instructions.steps import StepPlan
from node0.join.credential_issuer import JoinDesk
from node0.reconcile.state_manager import StateManager
from node0.rest import bind, health, metrics, openapi
from node0.rest.auth import Gatekeeper
from node0.rest.cluster_files import ClusterFiles
from node0.rest.clusters import Clusters
from node0.rest.errors import answer_errors, status_of
from node0.rest.events import Events
from node0.rest.hosts import Hosts
from node0.rest.infra_envs import InfraEnvs
from node0.rest.instructions import Instructions
from node0.rest.joining import Joining
from node0.rest.latency import Latencies
from node0.rest.logs import ClusterLogs
from node0.rest.manifests import Manifests
from node0.rest.progress import HostProgress
from node0.rest.request_ids import identify, name
from node0.rest.tokens import Tokens
from node0.rest.versions import Versions
from node0.store.location import Locations
from node0.store.logs import Logs
from node0.trust import scrub
from node0.trust.host_tokens import HostTokens

# A manifest of 1 MiB in base64, and room. Uploaded logs are read as they come, and have a limit of their own.
MAX_BODY_BYTES = 2 * 1024 * 1024


def make_app(
    *,
    state_manager: StateManager,
    gatekeeper: Gatekeeper,
    host_tokens: HostTokens,
    desk: JoinDesk,
    intent: ClusterIntent,
    machine: Machine,
) -> web.Application:
    """Raises TypeError when an operation has no handler, or one that does not fit."""
    steps = StepPlan(clock=machine.clock)
    locations = Locations(machine.files)
    scrubber = scrub.of_node0(machine.files)
    logs = Logs(locations.logs, scrubber)
    handlers = {
        **Clusters(
            state_manager=state_manager, steps=steps, locations=locations, logs=logs, intent=intent, scrubber=scrubber
        ).handlers(),
        **ClusterFiles(state_manager=state_manager, files=machine.files).handlers(),
        **Manifests(state_manager=state_manager).handlers(),
        **ClusterLogs(state_manager=state_manager, logs=logs).handlers(),
        **InfraEnvs(state_manager=state_manager, intent=intent).handlers(),
        **Hosts(state_manager=state_manager, steps=steps, host_tokens=host_tokens).handlers(),
        **Instructions(state_manager=state_manager, steps=steps, clock=machine.clock, scrubber=scrubber).handlers(),
        **Joining(desk=desk).handlers(),
        **HostProgress(state_manager=state_manager, scrubber=scrubber).handlers(),
        **Events(state_manager=state_manager).handlers(),
        **Versions(state_manager=state_manager, image=image_versions.read(machine.files)).handlers(),
        **Tokens(state_manager=state_manager, gatekeeper=gatekeeper).handlers(),
    }
    latencies = Latencies(status_of)
    app = web.Application(middlewares=[identify, answer_errors], client_max_size=MAX_BODY_BYTES)
    app.on_response_prepare.append(name)
    app.add_routes(bind.bind(handlers, gatekeeper, latencies))
    app.add_routes([*health.routes(state_manager), metrics.route(state_manager, latencies), openapi.route()])
    return app
