"""Small pieces of clusters and infra-envs, with the bounds that the service keeps to."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import msgspec

# A time that is not set, which is never null. All times on the wire are RFC 3339 with milliseconds and Z.
UNSET_TIME = "0001-01-01T00:00:00.000Z"

ClusterName = Annotated[str, msgspec.Meta(min_length=1, max_length=54)]
ControlPlaneCount = Annotated[int, msgspec.Meta(ge=1, le=5)]
HostPrefix = Annotated[int, msgspec.Meta(ge=1, le=128)]


class Vip(msgspec.Struct, frozen=True, kw_only=True):
    """`verification`: unverified, failed or succeeded."""

    ip: str
    verification: str = "unverified"


class ImageInfo(msgspec.Struct, frozen=True, kw_only=True):
    """Clients insist on it. The ISO is made by `create image`, so there is nothing to tell but its kind."""

    type: str = "full-iso"


class DiskEncryption(msgspec.Struct, frozen=True, kw_only=True):
    """Clients look into it. There is none here."""

    enable_on: str = "none"
    mode: str = "tpmv2"


class Preparation(msgspec.Struct, frozen=True, kw_only=True):
    """`status`: not_started, failed or success."""

    status: str = "not_started"
    reason: str = ""


class Proxy(msgspec.Struct, frozen=True, kw_only=True):
    http_proxy: str = ""
    https_proxy: str = ""
    no_proxy: str = ""


class MacInterface(msgspec.Struct, frozen=True, kw_only=True):
    mac_address: str
    logical_nic_name: str


class HostStaticNetwork(msgspec.Struct, frozen=True, kw_only=True):
    """`network_yaml`: NMState."""

    network_yaml: str
    mac_interface_map: tuple[MacInterface, ...] = ()


class KernelArgument(msgspec.Struct, frozen=True, kw_only=True):
    """`operation`: append, replace or delete."""

    operation: str
    value: str


class ImageType(StrEnum):
    FULL_ISO = "full-iso"
    MINIMAL_ISO = "minimal-iso"
