"""What the rules know of the two files. Without a file, or with errors in it, there are only fewer facts."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from inputs.document.source import Place, Source
from inputs.facts.field_path import FieldPath, field_path, section_path
from inputs.facts.fields import Fields
from inputs.facts.hosts import ROLE, HostFacts, IpNetwork
from inputs.schema.agent_config import AgentConfig, Host
from inputs.schema.install_config import InstallConfig, Networking

RENDEZVOUS_IP = field_path(AgentConfig, str, "rendezvousIP")
AGENT_HOSTS = field_path(AgentConfig, list, "hosts")
INSTALL_HOSTS = field_path(InstallConfig, list, "platform.baremetal.hosts")
CONTROL_PLANE_REPLICAS = field_path(InstallConfig, int, "controlPlane.replicas")
WORKER_REPLICAS = field_path(InstallConfig, int, "compute[].replicas")
NETWORKING = section_path(InstallConfig, Networking, "networking")
MACHINE_NETWORK = field_path(InstallConfig, list, "networking.machineNetwork")
MACHINE_CIDRS = field_path(InstallConfig, str, "networking.machineNetwork[].cidr")
CLUSTER_CIDRS = field_path(InstallConfig, str, "networking.clusterNetwork[].cidr")
SERVICE_CIDRS = field_path(InstallConfig, str, "networking.serviceNetwork[]")

_AGENT_HOSTS = section_path(AgentConfig, Host, "hosts[]")
_INSTALL_HOSTS = section_path(InstallConfig, Host, "platform.baremetal.hosts[]")
_CLUSTER_NETWORK = field_path(InstallConfig, object, "networking.clusterNetwork")
_SERVICE_NETWORK = field_path(InstallConfig, object, "networking.serviceNetwork")


@dataclass(frozen=True)
class Facts:
    install: Fields[InstallConfig]
    agent: Fields[AgentConfig]

    @classmethod
    def of(cls, install: Source, agent: Source) -> Facts:
        return cls(Fields(install, (), install.root), Fields(agent, (), agent.root))

    @cached_property
    def hosts(self) -> tuple[HostFacts, ...]:
        """The hosts of agent-config.yaml; if it has no list, those of install-config.yaml."""
        if self.agent.has(AGENT_HOSTS):
            return tuple(HostFacts(each.source, each.path, each.node) for each in self.agent.sections(_AGENT_HOSTS))
        return tuple(HostFacts(each.source, each.path, each.node) for each in self.install.sections(_INSTALL_HOSTS))

    @cached_property
    def rendezvous(self) -> Place[str] | None:
        """`rendezvousIP`; without it, the first static address of the first host that is no worker, masters first."""
        given = self.agent.first(RENDEZVOUS_IP)
        if given is not None:
            return given
        candidates = [host for host in self.hosts if host.get(ROLE, "") != "worker"]
        candidates.sort(key=lambda host: host.get(ROLE, "") != "master")
        return next((own.place for host in candidates for own in host.addresses), None)

    @property
    def rendezvous_network(self) -> IpNetwork | None:
        """The network of the rendezvous address, by the prefix length that its host gives it."""
        if self.rendezvous is None:
            return None
        rendezvous = ipaddress.ip_address(self.rendezvous.value)
        addresses = (own.address for host in self.hosts for own in host.addresses)
        return next((address.network for address in addresses if address.ip == rendezvous), None)

    @property
    def machine_networks(self) -> tuple[IpNetwork, ...]:
        return tuple(network for _, network in self.networks(MACHINE_CIDRS))

    def networks(self, path: FieldPath[InstallConfig, str]) -> tuple[tuple[Place[str], IpNetwork], ...]:
        """The networks that install-config.yaml gives at `path`."""
        return tuple((place, ipaddress.ip_network(place.value)) for place in self.install.find(path))

    def default_networks(self) -> Iterator[tuple[str, IpNetwork]]:
        """The defaults of network fields that install-config.yaml leaves out, with the names of these fields."""
        fields = Networking.model_fields
        if not self.install.has(_CLUSTER_NETWORK):
            yield "clusterNetwork", ipaddress.ip_network(fields["cluster_network"].default[0].cidr)
        if not self.install.has(_SERVICE_NETWORK):
            yield "serviceNetwork", ipaddress.ip_network(fields["service_network"].default[0])
