"""What a machine is judged by: the inputs of a cluster, or a role alone."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from agent.api.timestamps import rfc3339
from agent.model.intent import ClusterIntent, HostIntent, Platform, Role
from agent.model.problems import Problem
from cli.cluster_directory import AUTH, INTENT
from inputs.cluster_intent import cluster_intent
from inputs.load import load_inputs

_MAX_BYTES = 8 << 20


@dataclass(frozen=True)
class Basis:
    """`host`: the one that the machine stands for, whatever its MACs; None: its MACs decide.

    `role`: where there are no inputs; None: they decide.
    """

    intent: ClusterIntent
    host: HostIntent | None = None
    role: Role | None = None


def by_role(role: Role) -> Basis:
    """A cluster without hosts, networks or names, so that no validation of these has anything to object to."""
    return Basis(_intent_without_hosts(), role=role)


def by_inputs(directory: Path, host: str = "") -> Basis:
    """`host`: a host name of the inputs; empty: the machine's MACs decide.

    Raises ConfigurationError for wrong inputs. Problem: `host-not-listed`.
    """
    cluster_id, infra_env_id = _ids(directory)
    inputs = load_inputs(directory).valid_inputs()
    now = rfc3339(datetime.now(UTC))
    intent = cluster_intent(inputs, cluster_id=cluster_id, infra_env_id=infra_env_id, created_at=now)
    if not host:
        return Basis(intent)
    found = next((each for each in intent.hosts if each.hostname == host), None)
    if found is None:
        raise Problem(
            code="host-not-listed",
            title=f"The inputs in {directory} have no host {host}.",
            remedy=f"Name one of theirs: {', '.join(each.hostname for each in intent.hosts) or 'they list none'}.",
        )
    return Basis(intent, host=found)


class _Ids(msgspec.Struct):
    cluster_id: uuid.UUID
    infra_env_id: uuid.UUID


def _ids(directory: Path) -> tuple[str, str]:
    """Those of the ISO that was made from the inputs. By them an install knows what it has written to a disk before."""
    try:
        with (directory / AUTH / INTENT).open("rb") as file:
            found = msgspec.json.decode(file.read(_MAX_BYTES), type=_Ids)
        return str(found.cluster_id), str(found.infra_env_id)
    except (OSError, ValueError, msgspec.DecodeError):
        return str(uuid.uuid4()), str(uuid.uuid4())


def _intent_without_hosts() -> ClusterIntent:
    return ClusterIntent(
        cluster_id=str(uuid.uuid4()),
        infra_env_id=str(uuid.uuid4()),
        name="replay",
        base_domain="",
        created_at=rfc3339(datetime.now(UTC)),
        rendezvous_ip="",
        api_address="",
        platform=Platform.NONE,
        control_plane_replicas=1,
        worker_replicas=0,
        cluster_networks=(),
        service_networks=(),
        machine_networks=(),
        ssh_keys=(),
        ntp_sources=(),
        hosts=(),
    )
