"""The calls of `cluster0 hosts` to node0's service and, by SSH, to the hosts."""

from __future__ import annotations

from agent.api import operations
from agent.api.clusters import Cluster
from agent.api.hosts import Host, HostUpdate
from agent.model.problems import Problem
from agent.model.states import FROM_DISK, ClusterStatus, HostStatus
from client.remote.addresses import addresses
from client.remote.hosts import find_host, host_name
from client.remote.service import read_cluster, user_client
from client.remote.ssh import Login, run_script
from client.remote.target import Target

RESTART_SECONDS = 60.0

_INSTALLING = {
    ClusterStatus.INSTALLING,
    ClusterStatus.INSTALLING_PENDING_USER_ACTION,
    ClusterStatus.FINALIZING,
    ClusterStatus.INSTALLED,
}
"""In these states a failed host may still join, as long as node0's service runs."""


async def approve(target: Target, word: str) -> Host:
    """Approve the host that `word` names. Problem: those of `find_host`; `Refused` once it installs."""
    cluster = await read_cluster(target)
    host = find_host(cluster.hosts, word)
    async with user_client(target) as client:
        return await client.call(
            operations.UPDATE_HOST, HostUpdate(approved=True), infra_env_id=host.infra_env_id, host_id=host.id
        )


async def retry(target: Target, word: str, login: Login) -> Host:
    """Start a failed host's install over: restart its agent, which registers again and gets the install from node0.

    Problem: `host-not-failed`, `cluster-not-installing`, `host-left-live-image`, those of `find_host` and `run_script`.
    """
    cluster = await read_cluster(target)
    host = find_host(cluster.hosts, word)
    _check_can_retry(cluster, host)
    problem = Problem(code="host-address-unknown", title=f"No address of {host_name(host)} is known.")
    for address in addresses(target, cluster.hosts).get(host_name(host), ()):
        try:
            await run_script(login, address, "systemctl restart cluster0-agent", timeout=RESTART_SECONDS)
            return host
        except Problem as failed:
            problem = failed
    problem.remedy = f"{problem.remedy} Or boot {host_name(host)} from the ISO again, which does the same.".strip()
    raise problem


def _check_can_retry(cluster: Cluster, host: Host) -> None:
    if host.status is not HostStatus.ERROR:
        raise Problem(
            code="host-not-failed",
            title=f"{host_name(host)} has not failed: it is {host.status}.",
            detail=host.status_info,
            remedy="Only a failed host's install can be started over.",
        )
    if cluster.status not in _INSTALLING:
        raise Problem(
            code="cluster-not-installing",
            title=f"{host_name(host)} cannot be retried: the cluster is {cluster.status}.",
            detail=cluster.status_info,
            remedy="Boot every host from the ISO again; the install starts over by itself.",
        )
    if host.progress.current_stage in FROM_DISK:
        raise Problem(
            code="host-left-live-image",
            title=f"{host_name(host)} has left the live image (stage '{host.progress.current_stage}'): "
            "its disk's agent takes no install.",
            detail=host.status_info,
            remedy='Boot it from the ISO again and choose "Install again" in its menu: it starts over by itself.',
        )
