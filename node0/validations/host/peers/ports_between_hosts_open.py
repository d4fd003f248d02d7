"""Do connections to the ports of the Kubernetes API, etcd and the kubelet get to every peer? Before the install the
peer refuses them, and that will do: what counts is that nothing between the hosts drops them."""

from __future__ import annotations

from collections import defaultdict

from node0.validations.engine.facts import HAS_PEERS_WORDS, HostFacts, has_peers, report_missing
from node0.validations.engine.validation import Category, Gate, Validation, Verdict, failure, success


def check(facts: HostFacts) -> Verdict:
    assert facts.host.connectivity is not None
    dropped: dict[str, set[int]] = defaultdict(set)
    for remote in facts.host.connectivity.remote_hosts:
        if remote.host_id not in facts.host.unreachable:  # that is told already
            closed = {report.port for report in remote.tcp_connectivity if not report.successful}
            dropped[facts.name_of(remote.host_id)] |= closed
    words = [f"{name} on TCP {', '.join(map(str, sorted(ports)))}" for name, ports in dropped.items() if ports]
    if not words:
        return success("Nothing between the hosts drops connections to Kubernetes' ports.")
    return failure(
        f"{facts.host.label} does not get to {'; '.join(words)}.", "Open these ports in the firewall between."
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
