"""Turns checked inputs into the cluster's intent. It decides all that the inputs leave open."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import count

from agent.model.intent import (
    ClusterIntent,
    ClusterNetwork,
    HostIntent,
    InterfaceIntent,
    KubeadmPatches,
    Platform,
    Role,
    RootDeviceHints,
    Taint,
)
from inputs.load import Inputs
from inputs.nmstate.network import automatic, network_model
from inputs.schema.agent_config import AgentConfig, Host
from inputs.schema.platforms import USER_MANAGED, PlatformChoice


def cluster_intent(inputs: Inputs, *, cluster_id: str, infra_env_id: str, created_at: str) -> ClusterIntent:
    """`created_at`: RFC 3339. The same inputs and ids give the same intent."""
    install, agent = inputs.install, inputs.agent
    return ClusterIntent(
        cluster_id=cluster_id,
        infra_env_id=infra_env_id,
        name=install.metadata.name,
        base_domain=install.base_domain,
        created_at=created_at,
        rendezvous_ip=agent.rendezvous_ip,
        api_address=api_address(inputs),
        platform=_platform(install.platform),
        control_plane_replicas=install.control_plane.replicas,
        worker_replicas=install.worker_replicas,
        cluster_networks=tuple(
            ClusterNetwork(cidr=entry.cidr, host_prefix=entry.host_prefix)
            for entry in install.networking.cluster_network
        ),
        service_networks=install.networking.service_network,
        machine_networks=tuple(entry.cidr for entry in install.networking.machine_network),
        ssh_keys=tuple(install.ssh_key.splitlines()),
        ntp_sources=agent.additional_ntp_sources,
        hosts=tuple(_hosts(agent, install.control_plane.replicas)),
        ssh_enabled=agent.ssh_enabled,
        service_lifetime_minutes=agent.service_lifetime_minutes,
        worker_wait_minutes=agent.missing_workers_minutes if agent.missing_workers == "continue" else None,
        kubeadm=KubeadmPatches(
            cluster_configuration=install.kubernetes.cluster_configuration,
            kubelet_configuration=install.kubernetes.kubelet_configuration,
            kube_proxy_configuration=install.kubernetes.kube_proxy_configuration,
        ),
    )


def api_address(inputs: Inputs) -> str:
    """The address of the API server: the virtual address, or node0's own."""
    baremetal = inputs.install.platform.baremetal
    return baremetal.api_address if baremetal else inputs.agent.rendezvous_ip


def _platform(choice: PlatformChoice) -> Platform:
    """Behind a user-managed load balancer the hosts carry no virtual address."""
    if choice.baremetal and choice.baremetal.load_balancer.type != USER_MANAGED:
        return Platform.BAREMETAL
    return Platform.NONE


def roles(agent: AgentConfig, control_plane_replicas: int) -> tuple[Role, ...]:
    """Each host's own role. Without one, node0 and then the first hosts become masters until there are enough."""
    decided = {index: Role(host.role) for index, host in enumerate(agent.hosts) if host.role}
    undecided = [index for index in range(len(agent.hosts)) if index not in decided]
    undecided.sort(key=lambda index: agent.rendezvous_ip not in _addresses(agent.hosts[index]))
    vacant = control_plane_replicas - Counter(decided.values())[Role.MASTER]
    for position, index in enumerate(undecided):
        decided[index] = Role.MASTER if position < vacant else Role.WORKER
    return tuple(role for _, role in sorted(decided.items()))


def _hosts(agent: AgentConfig, control_plane_replicas: int) -> Iterator[HostIntent]:
    decided = roles(agent, control_plane_replicas)
    for host, role, name in zip(agent.hosts, decided, _hostnames(agent, decided), strict=True):
        interfaces = tuple(InterfaceIntent(name=nic.name, mac=nic.mac_address) for nic in host.interfaces)
        yield HostIntent(
            hostname=name,
            role=role,
            interfaces=interfaces,
            network=network_model(host.network_config, interfaces) if host.network_config else automatic(interfaces),
            root_device_hints=RootDeviceHints(**host.root_device_hints.model_dump()),
            consent_to_wipe=host.consent_to_wipe,
            node_labels=host.node_labels,
            node_taints=tuple(
                Taint(key=taint.key, value=taint.value, effect=taint.effect) for taint in host.node_taints
            ),
            kernel_arguments=host.kernel_arguments,
        )


def _hostnames(agent: AgentConfig, decided: Iterable[Role]) -> Iterator[str]:
    """Each host's own name. Without one: ROLE-NUMBER, with the next number that is not taken."""
    taken = {host.hostname for host in agent.hosts}
    seen: Counter[Role] = Counter()
    for host, role in zip(agent.hosts, decided, strict=True):
        free = (f"{role}-{number}" for number in count(seen[role]) if f"{role}-{number}" not in taken)
        name = host.hostname or next(free)
        taken.add(name)
        seen[role] += 1
        yield name


def _addresses(host: Host) -> set[str]:
    if host.network_config is None:
        return set()
    families = (family for interface in host.network_config.interfaces for family in (interface.ipv4, interface.ipv6))
    return {address.ip for family in families for address in family.address}
