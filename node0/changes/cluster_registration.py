"""Registration of the cluster and its infra-env. A repeat with the same id changes nothing."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from ipaddress import ip_address, ip_network

from agent.api.clusters import ClusterCreate
from agent.api.infra_envs import InfraEnvCreate
from agent.model.states import ClusterStatus
from node0.reconcile.transaction import Change, Transaction
from node0.refusals import BadRequest, Conflict
from node0.store.records import ClusterRecord, InfraEnvRecord


def register_cluster(request: ClusterCreate, *, cluster_id: str) -> Change:
    """`cluster_id`: of the cluster that the ISO was made for, for clients that give none."""
    _check_id(request.id)
    check_networks(request)

    def change(transaction: Transaction) -> None:
        known = transaction.records.cluster
        if known is not None:
            if request.id == known.id:
                return
            raise Conflict(
                code="cluster-exists",
                title=f"This service manages cluster {known.id} ({known.spec.name}) and no other.",
            )
        cluster = ClusterRecord(
            id=request.id or cluster_id,
            spec=request,
            status=ClusterStatus.INSUFFICIENT,
            status_info="The cluster was registered.",
            status_updated_at=transaction.now,
            created_at=transaction.now,
            updated_at=transaction.now,
        )
        transaction.put_cluster(cluster)
        transaction.add_event("cluster_registration_succeeded", f"Successfully registered cluster {request.name}")

    return change


def _check_id(text: str) -> None:
    try:
        if text:
            uuid.UUID(text)
    except ValueError:
        raise BadRequest(code="id-invalid", title=f"id {text!r} is not a UUID.") from None


def check_networks(request: ClusterCreate) -> None:
    """Raises `BadRequest` (`address-invalid`)."""
    for pods in request.cluster_networks:
        _check("cluster_networks", pods.cidr, ip_network)
    for services in request.service_networks:
        _check("service_networks", services.cidr, ip_network)
    for machines in request.machine_networks:
        _check("machine_networks", machines.cidr, ip_network)
    for vip in request.api_vips + request.ingress_vips:
        _check("api_vips, ingress_vips", vip.ip, ip_address)


def _check(field: str, text: str, parse: Callable[[str], object]) -> None:
    try:
        parse(text)
    except ValueError as error:
        raise BadRequest(code="address-invalid", title=f"{field}: {error}") from error


def register_infra_env(request: InfraEnvCreate, *, infra_env_id: str) -> Change:
    """`infra_env_id`: of the infra-env that the ISO was made for, for clients that give none."""
    _check_id(request.id)
    if request.rendezvous_ip:
        _check("rendezvous_ip", request.rendezvous_ip, ip_address)

    def change(transaction: Transaction) -> None:
        known = transaction.records.infra_env
        if known is not None:
            if request.id == known.id:
                return
            raise Conflict(code="infra-env-exists", title=f"This service manages infra-env {known.id} and no other.")
        transaction.put_infra_env(
            InfraEnvRecord(
                id=request.id or infra_env_id, spec=request, created_at=transaction.now, updated_at=transaction.now
            )
        )
        transaction.add_event("infra_env_registered", f"Registered infra env {request.name}")

    return change
