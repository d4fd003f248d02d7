"""Packets from pods to the world outside leave with the host's address; packets between pods keep theirs. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from agent.podnet.cni import version

TABLE = "cluster0-podnet"
_FAMILY = {4: "ip", 6: "ip6"}


def ruleset(pod_networks: Sequence[str]) -> str:
    """Input for `nft --file`: replaces the table in one step. `pod_networks`: the cluster's, not the node's."""
    rules = [
        f"        {family} saddr {cidr} {family} daddr != {cidr} masquerade"
        for cidr in pod_networks
        for family in [_FAMILY[version(cidr)]]
    ]
    return "\n".join(
        [
            f"table inet {TABLE}",
            f"delete table inet {TABLE}",
            f"table inet {TABLE} {{",
            "    chain postrouting {",
            "        type nat hook postrouting priority srcnat;",
            *rules,
            "    }",
            "}",
            "",
        ]
    )
