"""`cluster0-agent podnet`: follows the Nodes and keeps this node's CNI configuration, routes and masquerading."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from contextlib import aclosing

import msgspec

from agent.kubeadm.kinds import KUBELET_KUBECONFIG
from agent.kubernetes.client import ApiRefused, ApiUnreachable, Kubernetes
from agent.kubernetes.nodes import NODES, Node
from agent.machine import Machine
from agent.model.host_paths import INTENT_FILE, RELEASE_FILE
from agent.model.intent import ClusterIntent
from agent.model.problems import Problem
from agent.podnet import PLUGIN
from agent.podnet.cni import CONFIG_FILE, KEPT_FILE, conflist, version
from agent.podnet.routes import pod_routes, set_routes

log = logging.getLogger(__name__)

_SECONDS_BEFORE_RETRY = 2.0
_NFT_TABLE = "cluster0-podnet"
_NFT_FAMILY = {4: "ip", 6: "ip6"}


class _PayloadPlugin(msgspec.Struct, frozen=True):
    network_plugin: str


class _ImageRelease(msgspec.Struct, frozen=True):
    payload: _PayloadPlugin


async def serve(machine: Machine) -> None:
    """Keep the pod network up to date until cancelled. Returns at once if the payload has its own network plugin."""
    release = machine.files.load(RELEASE_FILE, _ImageRelease)
    if release is None or release.payload.network_plugin != PLUGIN:
        log.info("The pod network is the payload's own: nothing to do.")
        return
    name = machine.kernel.hostname().lower()
    _configure(machine, machine.files.read(KEPT_FILE, ""))
    await _masquerade(machine)
    while True:
        try:
            await _follow(machine, name)
        except (ApiUnreachable, ApiRefused) as problem:
            log.info("%s", problem.title)
            await machine.clock.sleep(_SECONDS_BEFORE_RETRY)


async def _follow(machine: Machine, name: str) -> None:
    """Follow the nodes, with the current kubeconfig: the kubelet renews its certificate while this runs for months."""
    async with (
        Kubernetes.from_kubeconfig(machine.files.at(KUBELET_KUBECONFIG)) as api,
        aclosing(api.follow(NODES, Node)) as changes,
    ):
        async for nodes in changes:
            await _adapt(machine, nodes, name)


async def _masquerade(machine: Machine) -> None:
    intent = machine.files.load(INTENT_FILE, ClusterIntent)
    if intent is None:
        raise Problem(code="no-intent", title=f"{INTENT_FILE} is not there: the cluster's pod networks are unknown.")
    rules = ruleset([network.cidr for network in intent.cluster_networks])
    await machine.processes.run(["nft", "--file", "-"], stdin=rules.encode())


def ruleset(pod_networks: Sequence[str]) -> str:
    """Input for `nft --file`, which replaces the table in one step. Pure. `pod_networks`: CIDRs of the whole cluster.

    Packets from pods that leave the cluster get the host's address; packets between pods keep theirs.
    """
    rules = [
        f"        {family} saddr {cidr} {family} daddr != {cidr} masquerade"
        for cidr in pod_networks
        for family in [_NFT_FAMILY[version(cidr)]]
    ]
    return "\n".join(
        [
            f"table inet {_NFT_TABLE}",
            f"delete table inet {_NFT_TABLE}",
            f"table inet {_NFT_TABLE} {{",
            "    chain postrouting {",
            "        type nat hook postrouting priority srcnat;",
            *rules,
            "    }",
            "}",
            "",
        ]
    )


async def _adapt(machine: Machine, nodes: tuple[Node, ...], name: str) -> None:
    own = next((node for node in nodes if node.name == name), None)
    if own is None or not own.spec.podCIDRs:
        log.info("%s has no pod CIDR yet", name)
        return
    config = msgspec.json.format(msgspec.json.encode(conflist(own.spec.podCIDRs))).decode()
    if _configure(machine, config):
        log.info("pods of this node: %s", ", ".join(own.spec.podCIDRs))
    await asyncio.to_thread(set_routes, pod_routes(nodes, name))


def _configure(machine: Machine, config: str) -> bool:
    """Write `config`, unless it is empty or there; whether that changed anything.

    node0's own root changes with its reboot, so a copy is kept for the next boot: without a configuration the kubelet
    reports at first that its node is not Ready, and the next report is ten seconds later.
    """
    changed = [path for path in (KEPT_FILE, CONFIG_FILE) if machine.files.read(path, "") != config]
    if config:
        for path in changed:
            machine.files.write(path, config)
    return bool(config and changed)
