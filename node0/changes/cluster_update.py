"""Update of the cluster's configuration: before the install, and only of what the ISO has not fixed."""

from __future__ import annotations

import msgspec

from agent.api.clusters import ClusterCreate
from agent.api.requests import ClusterUpdate
from node0.changes.cluster_registration import check_networks
from node0.reconcile.transaction import Change, Transaction
from node0.refusals import Conflict
from node0.state_machine.cluster import BEFORE

# The ISO carries these to the hosts. A value that no client has given yet can still be given.
FIXED_BY_ISO = frozenset(
    {
        "name",
        "base_dns_domain",
        "control_plane_count",
        "platform",
        "cluster_networks",
        "service_networks",
        "api_vips",
        "ingress_vips",
        "ssh_public_key",
        "http_proxy",
        "https_proxy",
        "no_proxy",
    }
)

_DEFAULTS = ClusterCreate(name="-", openshift_version="")


def update_cluster(cluster_id: str, request: ClusterUpdate) -> Change:
    given = {name: value for name, value in msgspec.structs.asdict(request).items() if value is not msgspec.UNSET}

    def change(transaction: Transaction) -> None:
        cluster = transaction.records.get_cluster(cluster_id)
        if cluster.status not in BEFORE:
            raise Conflict(
                code="cluster-not-changeable",
                title=f"Cluster {cluster.spec.name} is {cluster.status}: its configuration cannot change any more.",
            )
        _check_fixed_by_iso(cluster.spec, given)
        updated = msgspec.structs.replace(cluster.spec, **given)
        check_networks(updated)
        transaction.put_cluster(msgspec.structs.replace(cluster, spec=updated, updated_at=transaction.now))

    return change


def _check_fixed_by_iso(known: ClusterCreate, given: dict[str, object]) -> None:
    changed = [
        name
        for name in sorted(FIXED_BY_ISO & given.keys())
        if getattr(known, name) not in {given[name], getattr(_DEFAULTS, name)}
    ]
    if changed:
        raise Conflict(
            code="fixed-by-the-iso",
            title=f"{', '.join(changed)} of cluster {known.name}: the ISO that the hosts booted carries other values.",
            remedy="Change install-config.yaml, run `create image` again and boot the hosts from the new ISO.",
        )
