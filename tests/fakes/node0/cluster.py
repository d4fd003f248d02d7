"""A site's cluster and infra-env, registered with node0's service as the driver does it."""

from __future__ import annotations

from agent.api import operations
from agent.api.clusters import Cidr, ClusterCreate, ClusterNetworkEntry
from agent.api.infra_envs import InfraEnvCreate
from agent.api.operations import TokenRole
from replay.programs import Service


async def register_cluster(service: Service) -> None:
    intent = service.site.intent
    cluster = ClusterCreate(
        id=intent.cluster_id,
        name=intent.name,
        openshift_version="v1.20.2",
        base_dns_domain=intent.base_domain,
        cluster_networks=(ClusterNetworkEntry(cidr="10.244.0.0/16", host_prefix=24),),
        service_networks=(Cidr(cidr="10.96.0.0/12"),),
    )
    infra_env = InfraEnvCreate(
        id=intent.infra_env_id, name="demo", cluster_id=intent.cluster_id, rendezvous_ip=intent.rendezvous_ip
    )
    async with service.client(TokenRole.USER) as user:
        await user.call(operations.REGISTER_CLUSTER, cluster)
        await user.call(operations.REGISTER_INFRA_ENV, infra_env)
