"""Registering the cluster and its infra-env. Doing it again with the same id changes nothing."""

from __future__ import annotations

import uuid
from ipaddress import ip_network

from agent.api.resources import ClusterCreate, InfraEnvCreate
from agent.api.states import ClusterStatus
from node0.conductor import Change, Draft
from node0.refusals import BadRequest, Conflict
from node0.store.records import ClusterRecord, InfraEnvRecord


def register_cluster(asked: ClusterCreate) -> Change:
    _check_networks(asked)

    def change(draft: Draft) -> None:
        known = draft.records.cluster
        if known is not None:
            if asked.id == known.id:
                return
            raise Conflict(
                code="cluster-exists",
                title=f"This service leads cluster {known.id} ({known.asked.name}) and no other.",
            )
        cluster = ClusterRecord(
            id=asked.id or str(uuid.uuid4()),
            asked=asked,
            status=ClusterStatus.INSUFFICIENT,
            status_info="The cluster was registered.",
            status_updated_at=draft.now,
            created_at=draft.now,
            updated_at=draft.now,
        )
        draft.put_cluster(cluster)
        draft.tell("cluster_registration_succeeded", f"Successfully registered cluster {asked.name}")

    return change


def _check_networks(asked: ClusterCreate) -> None:
    cidrs = [entry.cidr for entry in asked.cluster_networks]
    cidrs += [entry.cidr for entry in (*asked.service_networks, *asked.machine_networks)]
    for cidr in cidrs:
        try:
            ip_network(cidr)
        except ValueError as error:
            raise BadRequest(code="cidr-invalid", title=f"{cidr!r} is not a network: {error}") from error


def register_infra_env(asked: InfraEnvCreate) -> Change:
    def change(draft: Draft) -> None:
        known = draft.records.infra_env
        if known is not None:
            if asked.id == known.id:
                return
            raise Conflict(code="infra-env-exists", title=f"This service leads infra-env {known.id} and no other.")
        draft.put_infra_env(InfraEnvRecord(id=asked.id or str(uuid.uuid4()), asked=asked, created_at=draft.now))
        draft.tell("infra_env_registered", f"Registered infra env {asked.name}")

    return change
