"""The web application: the handlers of every resource, bound to the table of operations."""

from __future__ import annotations

from aiohttp import web

from agent.machine.machine import Machine
from agent.model.intent import ClusterIntent
from node0 import image_versions
from node0.instructions.steps import StepPlan
from node0.join.credential_issuer import JoinCredentialIssuer
from node0.reconcile.state_manager import StateManager
from node0.rest import openapi
from node0.rest.metrics import families
from node0.rest.metrics.latency import Latencies
from node0.rest.operations.cluster_files import ClusterFiles
from node0.rest.operations.cluster_logs import ClusterLogs
from node0.rest.operations.clusters import Clusters
from node0.rest.operations.events import Events
from node0.rest.operations.hosts import Hosts
from node0.rest.operations.infra_envs import InfraEnvs
from node0.rest.operations.installing_hosts import InstallingHosts
from node0.rest.operations.instructions import Instructions
from node0.rest.operations.manifests import Manifests
from node0.rest.operations.tokens import Tokens
from node0.rest.operations.versions import Versions
from node0.rest.server.auth import Gatekeeper
from node0.rest.server.bind import bind
from node0.rest.server.middleware import add_request_id, answer_errors, assign_request_id, status_of
from node0.store.location import Locations
from node0.store.logs import Logs
from node0.trust import scrub
from node0.trust.host_tokens import HostTokens

# Enough for a manifest of 1 MiB in base64. Uploaded logs are streamed, and have their own limit.
MAX_BODY_BYTES = 2 * 1024 * 1024


def make_app(
    *,
    state_manager: StateManager,
    gatekeeper: Gatekeeper,
    host_tokens: HostTokens,
    issuer: JoinCredentialIssuer,
    intent: ClusterIntent,
    machine: Machine,
) -> web.Application:
    """Raises TypeError when an operation has no handler, or one that does not fit."""
    steps = StepPlan(clock=machine.clock)
    locations = Locations(machine.files)
    scrubber = scrub.of_node0(machine.files)
    logs = Logs(locations.logs, scrubber, machine.processes)
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
        **InstallingHosts(state_manager=state_manager, issuer=issuer, scrubber=scrubber).handlers(),
        **Events(state_manager=state_manager).handlers(),
        **Versions(state_manager=state_manager, image=image_versions.read(machine.files)).handlers(),
        **Tokens(state_manager=state_manager, gatekeeper=gatekeeper).handlers(),
    }
    latencies = Latencies(status_of)
    app = web.Application(middlewares=[assign_request_id, answer_errors], client_max_size=MAX_BODY_BYTES)
    app.on_response_prepare.append(add_request_id)
    app.add_routes(bind(handlers, gatekeeper, latencies))
    app.add_routes([*_health(state_manager), families.route(state_manager, latencies), openapi.route()])
    return app


def _health(state_manager: StateManager) -> tuple[web.RouteDef, ...]:
    """Probes for load balancers, which carry no token.

    /health: the service answers. /ready: it can also store changes; 503 while its disk is full, read-only or broken.
    """

    async def health(_request: web.Request) -> web.Response:
        return web.json_response({"status": "ok"})

    async def ready(_request: web.Request) -> web.Response:
        if (problem := state_manager.store_problem) is None:
            return web.json_response({"status": "ok"})
        return web.json_response({"status": problem.code, "reason": f"{problem.title} {problem.remedy}"}, status=503)

    return web.get("/health", health, allow_head=False), web.get("/ready", ready, allow_head=False)
