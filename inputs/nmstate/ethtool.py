"""NMState's `ethtool` in NetworkManager's keys, which have ethtool(8)'s short names for offloads."""

from __future__ import annotations

from inputs.schema.network_config import UNSET, Ethtool

# The kernel's name → NetworkManager's (NMSettingEthtool).
_FEATURES = {
    "rx_checksum": "feature-rx",
    "tx_checksum_ip_generic": "feature-tx-checksum-ip-generic",
    "tx_generic_segmentation": "feature-gso",
    "tx_tcp_segmentation": "feature-tx-tcp-segmentation",
    "rx_gro": "feature-gro",
    "rx_lro": "feature-lro",
    "rx_hashing": "feature-rxhash",
    "rx_vlan_hw_parse": "feature-rxvlan",
    "tx_vlan_hw_insert": "feature-txvlan",
    "rx_ntuple_filter": "feature-ntuple",
}


def ethtool(settings: Ethtool) -> dict[str, bool | int]:
    """Only what is set."""
    features = {key: getattr(settings.feature, name) for name, key in _FEATURES.items()}
    pause = {f"pause-{name}": getattr(settings.pause, name) for name in ("autoneg", "rx", "tx")}
    ring = {f"ring-{name}": getattr(settings.ring, name) for name in ("rx", "tx")}
    switches = {key: value for key, value in (features | pause).items() if value is not None}
    return switches | {key: size for key, size in ring.items() if size != UNSET}
