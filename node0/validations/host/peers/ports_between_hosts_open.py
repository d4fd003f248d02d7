"""Do connections to the ports of the Kubernetes API, etcd and the kubelet reach every peer?

Before the install the peer refuses them, which is enough: the validation only fails if they are dropped on the way.
"""

from __future__ import annotations

from collections import defaultdict

from node0.validations.engine.facts import HAS_PEERS_WORDS, HostFacts, few, has_peers, report_missing
from node0.validations.engine.validation import Category, Gate, Validation, Verdict, failure, success


def check(facts: HostFacts) -> Verdict:
    assert facts.host.connectivity is not None
    dropped: dict[str, set[int]] = defaultdict(set)
    for remote in facts.host.connectivity.remote_hosts:
        if remote.host_id not in facts.host.unreachable:  # another validation covers it
            closed = {report.port for report in remote.tcp_connectivity if not report.successful}
            dropped[facts.name_of(remote.host_id)] |= closed
    words = [f"{name} on TCP {few([str(port) for port in sorted(ports)])}" for name, ports in dropped.items() if ports]
    if not words:
        return success("No connection to a port of Kubernetes is dropped between the hosts.")
    return failure(
        f"{facts.host.label} does not reach {few(words, separator='; ')}.",
        "Open these ports in the firewall between the hosts.",
    )


VALIDATION = Validation(
    id="ports-between-hosts-open",
    category=Category.NETWORK,
    gate=Gate.SUFFICIENT,
    check=check,
    applies=has_peers,
    when=HAS_PEERS_WORDS,
    waits_for=report_missing,
)
