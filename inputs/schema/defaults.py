"""What the files may leave out because they tell it elsewhere. Kubernetes' own defaults are in the models."""

from __future__ import annotations

from inputs.rules.facts import Facts
from inputs.schema.agent_config import AgentConfig
from inputs.schema.install_config import InstallConfig, MachineNetworkEntry


def complete(install: InstallConfig, agent: AgentConfig, facts: Facts) -> tuple[InstallConfig, AgentConfig]:
    """Both with rendezvous address, machine network and hosts; the rules have seen that these can be told."""
    if not install.networking.machine_network:
        networking = install.networking.model_copy(update={"machine_network": _machine_network(facts)})
        install = install.model_copy(update={"networking": networking})
    if not agent.rendezvous_ip and facts.rendezvous is not None:
        agent = agent.model_copy(update={"rendezvous_ip": facts.rendezvous.value})
    if not agent.hosts and install.platform.baremetal is not None:
        agent = agent.model_copy(update={"hosts": install.platform.baremetal.hosts})
    return install, agent


def _machine_network(facts: Facts) -> tuple[MachineNetworkEntry, ...]:
    network = facts.rendezvous_network
    return () if network is None else (MachineNetworkEntry(cidr=str(network)),)
