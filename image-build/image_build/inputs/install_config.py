"""`install-config.yaml`: the cluster. Fields are OpenShift's, as far as they mean something to plain Kubernetes."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from image_build.inputs.model import InputModel
from image_build.inputs.values import Cidr, ClusterName, DnsDomain, PullSecret, SshKeys


class Metadata(InputModel):
    name: ClusterName
    namespace: str = ""


class ControlPlane(InputModel):
    """`replicas` has no default: how many hosts must come is never guessed."""

    name: Literal["master"] = "master"
    replicas: Annotated[int, Field(ge=1, le=7)]


class ComputePool(InputModel):
    name: Literal["worker"] = "worker"
    replicas: Annotated[int, Field(ge=0, le=10_000)] = 0


class ClusterNetworkEntry(InputModel):
    cidr: Cidr
    host_prefix: Annotated[int, Field(ge=1, le=128)]


class MachineNetworkEntry(InputModel):
    cidr: Cidr


class Networking(InputModel):
    machine_network: Annotated[tuple[MachineNetworkEntry, ...], Field(min_length=1)]
    cluster_network: Annotated[tuple[ClusterNetworkEntry, ...], Field(min_length=1)] = (
        ClusterNetworkEntry(cidr="10.128.0.0/14", host_prefix=23),
    )
    service_network: Annotated[tuple[Cidr, ...], Field(min_length=1)] = ("172.30.0.0/16",)


class NonePlatform(InputModel):
    """Platform none has no settings."""


class PlatformChoice(InputModel):
    """Only one is known yet; the others are refused by name before this is read."""

    none: NonePlatform = NonePlatform()


class InstallConfig(InputModel):
    api_version: Literal["v1"]
    kind: Literal["InstallConfig"] = "InstallConfig"
    base_domain: DnsDomain
    metadata: Metadata
    control_plane: ControlPlane
    compute: Annotated[tuple[ComputePool, ...], Field(max_length=1)] = ()
    networking: Networking
    platform: PlatformChoice
    ssh_key: SshKeys = ""
    pull_secret: PullSecret = ""

    @property
    def worker_replicas(self) -> int:
        return sum(pool.replicas for pool in self.compute)
