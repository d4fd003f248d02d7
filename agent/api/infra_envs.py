"""Infra-envs on the wire: the fields of assisted-service's schemas that we fill, and the body that makes one."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from agent.api.timestamps import UNSET_TIME


class ImageType(StrEnum):
    FULL_ISO = "full-iso"
    MINIMAL_ISO = "minimal-iso"


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


class InfraEnv(msgspec.Struct, frozen=True, kw_only=True):
    """`static_network_config` and `kernel_arguments` are JSON documents inside strings."""

    id: str
    href: str
    name: str
    kind: str = "InfraEnv"
    type: ImageType = ImageType.FULL_ISO
    cluster_id: str = ""
    openshift_version: str = ""
    cpu_architecture: str = "x86_64"
    ssh_authorized_key: str = ""
    pull_secret_set: bool = False
    proxy: Proxy = Proxy()
    additional_ntp_sources: str = ""
    static_network_config: str = ""
    ignition_config_override: str = ""
    kernel_arguments: str = ""
    additional_trust_bundle: str = ""
    rendezvous_ip: str = ""
    download_url: str = ""
    expires_at: str = UNSET_TIME
    created_at: str = UNSET_TIME
    updated_at: str = UNSET_TIME


class InfraEnvCreate(msgspec.Struct, frozen=True, kw_only=True):
    """`id` is our addition, as for a cluster."""

    name: str
    pull_secret: str = '{"auths":{}}'
    id: str = ""
    cluster_id: str = ""
    openshift_version: str = ""
    cpu_architecture: str = "x86_64"
    image_type: ImageType = ImageType.FULL_ISO
    ssh_authorized_key: str = ""
    proxy: Proxy = Proxy()
    additional_ntp_sources: str = ""
    static_network_config: tuple[HostStaticNetwork, ...] = ()
    ignition_config_override: str = ""
    kernel_arguments: tuple[KernelArgument, ...] = ()
    additional_trust_bundle: str = ""
    rendezvous_ip: str = ""
