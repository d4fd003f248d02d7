"""The real service process over TLS on loopback, the real client, and hosts that behave like agents."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agent.api import resources as r
from agent.api import routes
from agent.api.client import Client, Refused
from agent.api.routes import TokenRole
from agent.api.states import ClusterStatus, HostStatus, Stage
from agent.api.steps import StepType
from tests.fakes.agent import Agent
from tests.fakes.node0 import Service, serving
from tests.fakes.site import make_site

pytestmark = pytest.mark.integration


@pytest.fixture
async def service(tmp_path: Path) -> AsyncIterator[Service]:
    async with serving(make_site(tmp_path)) as service:
        yield service


@pytest.fixture
async def user(service: Service) -> AsyncIterator[Client]:
    async with service.client(TokenRole.USER) as client:
        yield client


async def register_cluster(service: Service, user: Client) -> None:
    intent = service.site.intent
    await user.call(
        routes.REGISTER_CLUSTER,
        r.ClusterCreate(
            id=intent.cluster_id,
            name=intent.name,
            openshift_version="v1.20.2",
            base_dns_domain=intent.base_domain,
            cluster_networks=(r.ClusterNetworkEntry(cidr="10.244.0.0/16", host_prefix=24),),
            service_networks=(r.Cidr(cidr="10.96.0.0/12"),),
        ),
    )
    await user.call(
        routes.REGISTER_INFRA_ENV,
        r.InfraEnvCreate(
            id=intent.infra_env_id, name="demo", cluster_id=intent.cluster_id, rendezvous_ip=intent.rendezvous_ip
        ),
    )


async def cluster(service: Service, user: Client) -> r.Cluster:
    return await user.call(routes.GET_CLUSTER, cluster_id=service.site.intent.cluster_id)


async def test_from_register_to_installed(service: Service, user: Client) -> None:
    await register_cluster(service, user)
    agent = Agent(service)
    async with agent.client:
        assert (await agent.register()).status is HostStatus.DISCOVERING
        await agent.send_inventory()
        assert (await user.call(routes.GET_HOST, **agent.path)).status is HostStatus.KNOWN
        assert (await cluster(service, user)).status is ClusterStatus.INSUFFICIENT
        await user.call(routes.UPDATE_HOST, r.HostUpdate(approved=True, host_name="node0"), **agent.path)
        assert (await cluster(service, user)).status is ClusterStatus.READY

        await user.call(routes.INSTALL_CLUSTER, cluster_id=service.site.intent.cluster_id)
        request = await agent.wait_for_install()
        assert (request.role, request.boot_device) == ("bootstrap", "/dev/vda")
        await agent.install()

        assert (await cluster(service, user)).status is ClusterStatus.FINALIZING
        done = await user.call(
            routes.COMPLETE_INSTALLATION, r.Completion(is_success=True), cluster_id=service.site.intent.cluster_id
        )
    assert done.status is ClusterStatus.INSTALLED
    assert done.progress.total_percentage == 100
    assert done.install_completed_at != r.UNSET_TIME
    assert done.hosts[0].status is HostStatus.INSTALLED
