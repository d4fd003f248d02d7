"""Can the machine network be told where it is not given?"""

from __future__ import annotations

from collections.abc import Iterator

from inputs.document.findings import Finding
from inputs.rules.facts import ADDRESSES, Facts


def machine_network_is_known(facts: Facts) -> Iterator[Finding]:
    given = next(facts.install.find(object, "networking", "machineNetwork"), None)
    in_doubt = facts.install.has_errors(("networking",)) or any(
        host.interfaces_have_errors(*ADDRESSES) for host in facts.hosts
    )
    if given or in_doubt or facts.install.is_absent or facts.agent.is_absent or facts.rendezvous_network:
        return
    yield facts.install.finding(
        ("networking",), "machine-network-missing",
        "`machineNetwork` is missing, and no host's networkConfig has the rendezvous address to take it from.",
        "Add networking.machineNetwork: the network that the hosts are on.",
        at_key=True,
    )  # fmt: skip
