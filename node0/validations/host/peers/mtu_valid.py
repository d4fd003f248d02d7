"""Do packets of the NIC's full MTU reach every peer? If only smaller ones do, all other checks pass, but joins hang."""

from __future__ import annotations

from node0.validations.engine.facts import HAS_PEERS_WORDS, HostFacts, few, has_peers, report_missing
from node0.validations.engine.validation import Category, Gate, Validation, Verdict, failure, success


def check(facts: HostFacts) -> Verdict:
    assert facts.host.connectivity is not None
    mtus = {nic.name: nic.mtu for nic in facts.inventory.interfaces} if facts.has_inventory else {}
    broken = [
        f"{facts.host.label} to {facts.name_of(remote.host_id)}: packets of {mtus.get(report.outgoing_nic, 0)} bytes "
        f"from {report.outgoing_nic} do not reach {report.remote_ip_address}"
        for remote in facts.host.connectivity.remote_hosts
        for report in remote.mtu_report
        if not report.mtu_successful
    ]
    if not broken:
        return success("Packets of the NICs' full size reach every host.")
    return failure(
        f"{few(broken, separator='; ')}.", "Set the same MTU on both hosts and on every switch port between them."
    )


VALIDATION = Validation(
    id="mtu-valid",
    category=Category.NETWORK,
    gate=Gate.SUFFICIENT,
    check=check,
    applies=has_peers,
    when=HAS_PEERS_WORDS,
    waits_for=report_missing,
)
