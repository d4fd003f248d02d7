"""A small, complete intent: one or more hosts with a static address each."""

from __future__ import annotations

from agent.model.intent import ClusterIntent, ClusterNetwork, HostIntent, InterfaceIntent, Platform, Role
from agent.model.network import Dns, Ethernet, IpConfig, IpMethod, NetworkModel, Route

CLUSTER_ID = "5a1f0c9e-6f0e-4a58-9a0a-7d2f1c0b3e01"
INFRA_ENV_ID = "5a1f0c9e-6f0e-4a58-9a0a-7d2f1c0b3e02"
NETWORK = "192.168.122"


def mac(number: int) -> str:
    return f"52:54:00:00:00:{number:02x}"


def nic(name: str, number: int, *addresses: str, mtu: int = 0) -> Ethernet:
    """NIC `number` with static IPv4 addresses, or without IPv4 when there are none; never IPv6."""
    method = IpMethod.MANUAL if addresses else IpMethod.DISABLED
    ipv4 = IpConfig(method=method, addresses=addresses)
    return Ethernet(name=name, mac=mac(number), ipv4=ipv4, ipv6=IpConfig(method=IpMethod.DISABLED), mtu=mtu)


def static_network(number: int) -> NetworkModel:
    return NetworkModel(
        interfaces=(nic("eth0", number, f"{NETWORK}.{9 + number}/24"),),
        routes=(Route(destination="0.0.0.0/0", gateway=f"{NETWORK}.1", interface="eth0"),),
        dns=Dns(servers=(f"{NETWORK}.1",), search=("example.com",)),
    )


def host(number: int, network: NetworkModel | None = None) -> HostIntent:
    """host<number> with MAC 52:54:00:00:00:<number> and the address 192.168.122.<9 + number>."""
    model = network or static_network(number)
    return HostIntent(
        hostname=f"host{number}",
        role=Role.MASTER,
        interfaces=tuple(InterfaceIntent(name=interface.name, mac=interface.mac) for interface in model.nics),
        network=model,
    )


def host_by_dhcp(number: int) -> HostIntent:
    """The same host, where DHCP decides about its IPv4 address."""
    asking = IpConfig(method=IpMethod.AUTO)
    return host(number, NetworkModel(interfaces=(Ethernet(name="eth0", mac=mac(number), ipv4=asking),)))


def intent(*hosts: HostIntent, rendezvous_ip: str = f"{NETWORK}.10") -> ClusterIntent:
    return ClusterIntent(
        cluster_id=CLUSTER_ID,
        infra_env_id=INFRA_ENV_ID,
        name="demo",
        base_domain="example.com",
        created_at="2025-01-01T00:00:00.000Z",
        rendezvous_ip=rendezvous_ip,
        api_address=rendezvous_ip,
        platform=Platform.NONE,
        control_plane_replicas=1,
        worker_replicas=0,
        cluster_networks=(ClusterNetwork(cidr="10.128.0.0/14", host_prefix=23),),
        service_networks=("172.30.0.0/16",),
        machine_networks=(f"{NETWORK}.0/24",),
        ssh_keys=(),
        ntp_sources=(),
        hosts=hosts or (host(1),),
    )
