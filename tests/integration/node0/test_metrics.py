"""What a Prometheus reads of an install."""

from __future__ import annotations

import aiohttp
import pytest
from prometheus_client.parser import text_string_to_metric_families

from agent.api import operations
from agent.api.client import Client
from agent.api.clusters import Completion
from agent.api.hosts import HostUpdate
from agent.model.states import Stage
from node0.reconcile.budget import BUDGET_SECONDS
from replay.programs import Service
from tests.fakes.agent.agent import Agent

pytestmark = pytest.mark.integration


async def test_metrics_are_prometheus_and_say_what_happened(
    agent: Agent, service: Service, user: Client, session: aiohttp.ClientSession
) -> None:
    await agent.send_inventory()
    await user.call(operations.UPDATE_HOST, HostUpdate(approved=True), **agent.path)
    await user.call(operations.INSTALL_CLUSTER, cluster_id=service.site.intent.cluster_id)
    await agent.wait_for_install()
    await agent.install()
    await user.call(
        operations.COMPLETE_INSTALLATION, Completion(is_success=True), cluster_id=service.site.intent.cluster_id
    )
    async with session.get("/metrics") as response:
        families = {family.name: family for family in text_string_to_metric_families(await response.text())}
    samples = {
        (sample.name, *sorted(sample.labels.values())): sample.value
        for family in families.values()
        for sample in family.samples
    }
    prefix = "service_assisted_installer"
    assert samples[f"{prefix}_hosts", "installed"] == 1
    assert samples[f"{prefix}_cluster_status", "installed"] == 1
    assert samples[f"{prefix}_cluster_installation_seconds", "installed"] >= 0
    phase = f"{prefix}_host_installation_phase_seconds_count"
    assert samples[phase, *sorted([Stage.WRITING_IMAGE, "success"])] == 1
    assert samples[f"{prefix}_validations", *sorted(["host", "has-inventory", "success"])] == 1
    labels = sorted(["assisted-service", "v2RegisterHost", "POST", "201"])
    assert 0 < samples["cluster0_longest_change_seconds",] < BUDGET_SECONDS
    assert samples["cluster0_changes_over_budget_total",] == 0
    assert samples["http_request_duration_seconds_count", *labels] == 1
