"""What the bootstrap knows, read once before it starts."""

from __future__ import annotations

from dataclasses import dataclass

from agent.inventory.host_id import read_host_id
from agent.machine import Machine
from agent.model.host_documents import ImagePayload
from agent.model.host_paths import INTENT_FILE, RELEASE_FILE
from agent.model.intent import ClusterIntent
from agent.model.payload import PayloadManifest
from agent.model.problems import Problem
from node0.bootstrap.kubeadm import FirstNode


@dataclass(frozen=True)
class BootstrapFacts:
    """This host and its cluster. `node_name`: the name of its Node."""

    intent: ClusterIntent
    payload: PayloadManifest
    host_id: str
    node_name: str

    @property
    def first_node(self) -> FirstNode:
        intent, payload = self.intent, self.payload
        return FirstNode(
            hostname=self.node_name,
            address=intent.rendezvous_ip,
            api_address=intent.api_address,
            domain=intent.domain,
            cluster_name=intent.name,
            kubernetes_version=payload.kubernetes_version,
            image_repository=payload.image_repository,
            etcd_tag=payload.etcd_tag,
            pause=payload.pause,
            pod_subnets=tuple(network.cidr for network in intent.cluster_networks),
            service_subnets=intent.service_networks,
            node_prefix=intent.cluster_networks[0].host_prefix,
            schedulable=intent.worker_replicas == 0,
            patches=intent.kubeadm,
        )


def read_facts(machine: Machine) -> BootstrapFacts:
    """Raises Problem `not-node0` if the image has no cluster or no payload."""
    intent = machine.files.load(INTENT_FILE, ClusterIntent)
    release = machine.files.load(RELEASE_FILE, ImagePayload)
    if intent is None or release is None:
        missing = INTENT_FILE if intent is None else RELEASE_FILE
        raise Problem(
            code="not-node0",
            title=f"There is nothing to bootstrap: {missing} does not exist.",
            remedy="Boot this host from an ISO made by `cluster0 create image`.",
        )
    return BootstrapFacts(
        intent=intent,
        payload=release.payload,
        host_id=read_host_id(machine),
        node_name=machine.kernel.hostname().lower(),
    )
