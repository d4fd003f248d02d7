"""Converts the parts of an NMState interface that all types have: IP settings and ethtool settings."""

from __future__ import annotations

from agent.model.network import IpConfig, IpMethod
from inputs.schema.network_config import UNSET, Ethtool, Ipv4Settings, Ipv6Settings

_CLIENT_IDS = {"": "", "ll": "mac", "iaid+duid": "ipv6-duid"}
# The kernel's name → NetworkManager's key (NMSettingEthtool).
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
    """NetworkManager's keys for the settings that are set."""
    features = {key: getattr(settings.feature, name) for name, key in _FEATURES.items()}
    pause = {f"pause-{name}": getattr(settings.pause, name) for name in ("autoneg", "rx", "tx")}
    ring = {f"ring-{name}": getattr(settings.ring, name) for name in ("rx", "tx")}
    switches = {key: value for key, value in (features | pause).items() if value is not None}
    return switches | {key: size for key, size in ring.items() if size != UNSET}


def ip_config(settings: Ipv4Settings | Ipv6Settings, *, required: bool) -> IpConfig:
    automatic = settings.dhcp or (isinstance(settings, Ipv6Settings) and settings.autoconf)
    return IpConfig(
        method=_method(settings),
        addresses=tuple(f"{address.ip}/{address.prefix_length}" for address in settings.address),
        required=required and settings.enabled,
        use_dns=settings.auto_dns or not automatic,
        use_gateway=settings.auto_gateway or not automatic,
        use_routes=settings.auto_routes or not automatic,
        metric=settings.auto_route_metric,
        table=settings.auto_route_table_id,
        client_id=_CLIENT_IDS[settings.dhcp_client_id] if isinstance(settings, Ipv4Settings) else "",
        addr_gen_mode=settings.addr_gen_mode if isinstance(settings, Ipv6Settings) else "",
    )


def _method(settings: Ipv4Settings | Ipv6Settings) -> IpMethod:
    if not settings.enabled:
        return IpMethod.DISABLED
    if settings.address:
        return IpMethod.MANUAL
    if isinstance(settings, Ipv4Settings):
        return IpMethod.AUTO
    if settings.autoconf:
        return IpMethod.AUTO
    return IpMethod.DHCP if settings.dhcp else IpMethod.LINK_LOCAL
