"""The CNI configuration of this node: a bridge for its pods, addresses from its own pod CIDRs. Pure.

Format: https://www.cni.dev/docs/spec/, version 0.4.0, which Debian's plugins and containerd share.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

CONFIG_FILE = "/etc/cni/net.d/10-cluster0.conflist"
# The same on the state file system, where a failed bootstrap or join is cleaned up.
KEPT_FILE = "/var/lib/kubelet/cluster0-cni.conflist"
BRIDGE = "cni0"


def version(cidr: str) -> int:
    """4 or 6."""
    return 6 if ":" in cidr else 4


def conflist(pod_cidrs: Sequence[str]) -> dict[str, Any]:
    """One range of addresses for each of the node's CIDRs."""
    bridge = {
        "type": "bridge",
        "bridge": BRIDGE,
        # Makes the default route of each family. One in `ipam` as well is made twice, and the second time fails: for
        # IPv4, too, with some builds of the plugin.
        "isDefaultGateway": True,
        # A pod that reaches its own service comes back to itself through the bridge.
        "hairpinMode": True,
        # Pods are known by their own addresses inside the cluster: see agent.podnet.run.ruleset.
        "ipMasq": False,
        "ipam": {
            "type": "host-local",
            "ranges": [[{"subnet": cidr}] for cidr in pod_cidrs],
        },
    }
    portmap = {"type": "portmap", "capabilities": {"portMappings": True}, "snat": True}
    return {"cniVersion": "0.4.0", "name": "cluster0", "plugins": [bridge, portmap]}
