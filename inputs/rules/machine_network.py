"""The machine network is given, or follows from the rendezvous address."""

from __future__ import annotations

from collections.abc import Iterator

from inputs.document.findings import Finding
from inputs.facts.facts import MACHINE_NETWORK, NETWORKING, Facts
from inputs.facts.hosts import ADDRESSING


def machine_network_is_known(facts: Facts) -> Iterator[Finding]:
    install, agent = facts.install, facts.agent
    if install.has(MACHINE_NETWORK) or facts.rendezvous_network or install.source.is_absent or agent.source.is_absent:
        return
    if install.has_errors(NETWORKING) or any(host.interfaces_have_errors(*ADDRESSING) for host in facts.hosts):
        return
    yield install.finding(
        NETWORKING, "machine-network-missing",
        "`machineNetwork` is missing, and no host's networkConfig has the rendezvous address to take it from.",
        "Add networking.machineNetwork: the network that the hosts are on.",
        at_key=True,
    )  # fmt: skip
