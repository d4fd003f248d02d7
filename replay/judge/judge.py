"""A recorded machine goes through registration, matching and checks, as with node0."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from agent.api.hosts import HostRegister, HostUpdate
from agent.api.steps import StepReply, StepType
from agent.model.host_documents import HostMatch
from agent.model.problems import ProblemReport
from agent.network.by_mac import match_host
from agent.record.machine import MachineRecord
from node0.changes.host_registration import register_host
from node0.changes.host_update import update_host
from node0.create_cluster.match import MatchedHost, nics_of
from node0.create_cluster.start import approve
from node0.reconcile.transaction import Change
from node0.rest.views.hosts import host_view
from node0.store.records import Records
from replay.answers import recorded_result
from replay.judge.basis import Basis
from replay.judge.checks import JudgedCheck, judged_checks, not_evaluated
from replay.judge.disks import judged_disks, refusal
from replay.judge.in_memory import InMemoryNode0, replied
from replay.judge.judgement import Judgement
from replay.judge.peers import Peers

MASKED_REMEDY = "The record is masked: its MACs are not the machine's. Name the host that it is with --host."


def judge(record: MachineRecord, basis: Basis) -> Judgement:
    """Raises Problem for a record with values that node0 refuses, such as an address that is none."""
    match = _match(record, basis)
    listed = basis.intent.hosts[match.index] if match.index >= 0 else None
    records = _replayed(record, basis)
    host = records.hosts[record.host_id]
    checks = judged_checks(host)
    consent = listed is not None and listed.consent_to_wipe
    refused = refusal(host, record.contents, cluster_id=basis.intent.cluster_id, consent=consent)
    left_out = () if host.approved else match.problems
    return Judgement(
        recorded_at=record.recorded_at,
        version=record.version,
        masked=record.masked,
        notes=record.notes,
        host=listed.hostname if listed else "",
        why=match.why,
        interfaces=match.names,
        role=host.effective_role,
        disks=judged_disks(host, record.contents),
        checks=checks,
        not_evaluated=not_evaluated(host),
        obstacles=(*left_out, *_blocking(checks), *((refused,) if refused else ())),
        inventory=record.inventory,
        network=record.network,
    )


def _replayed(record: MachineRecord, basis: Basis) -> Records:
    """node0's records after the machine has registered, was approved if it may be, and has sent its results."""
    node0, peers = InMemoryNode0(basis.intent), Peers(record, basis)
    node0.drive()
    registration = register_host(basis.intent.infra_env_id, HostRegister(host_id=record.host_id), token_id="")
    node0.apply([*peers.registrations(), registration, *_accepted(record, basis, [_reply(record, StepType.INVENTORY)])])
    node0.apply(_decision(record, basis, node0.records))
    node0.drive()
    later = (_reply(record, kind) for kind in (StepType.NTP_SYNCHRONIZER, StepType.CONTAINER_IMAGE_AVAILABILITY))
    node0.apply(_accepted(record, basis, [*later, peers.report()]))
    return node0.records


def _reply(record: MachineRecord, kind: StepType) -> StepReply | None:
    found = recorded_result(kind, record)
    if found is None:
        return None
    return StepReply(step_type=kind, step_id="", output=msgspec.json.encode(found).decode())


def _accepted(record: MachineRecord, basis: Basis, replies: Iterable[StepReply | None]) -> Iterator[Change]:
    for reply in replies:
        if reply is not None:
            yield replied(basis.intent.infra_env_id, record.host_id, reply)


def _decision(record: MachineRecord, basis: Basis, records: Records) -> Iterator[Change]:
    """The caller's, where it decides what the machine is; the driver decides about any other."""
    if basis.host:
        seen = host_view(records.hosts[record.host_id], records.cluster)
        yield update_host(basis.intent.infra_env_id, record.host_id, approve(MatchedHost(seen, basis.host)).body)
    elif basis.role:
        body = HostUpdate(host_role=basis.role, approved=True)
        yield update_host(basis.intent.infra_env_id, record.host_id, body)


def _match(record: MachineRecord, basis: Basis) -> HostMatch:
    """Which host of the inputs the machine is, as the machine itself finds out."""
    if basis.role:
        return HostMatch(index=-1, why="There are no inputs: a role was given.")
    found = match_host(nics_of(record.inventory), basis.intent.hosts)
    if basis.host:
        index = basis.intent.hosts.index(basis.host)
        return found if found.index == index else HostMatch(index=index, why="It was named, whatever the MACs are.")
    if not record.masked:
        return found
    problems = tuple(msgspec.structs.replace(problem, remedy=MASKED_REMEDY) for problem in found.problems)
    return msgspec.structs.replace(found, problems=problems)


def _blocking(checks: Iterable[JudgedCheck]) -> Iterator[ProblemReport]:
    for check in checks:
        if check.blocks:
            yield ProblemReport(code=check.id, title=check.message, remedy=check.remedy)
