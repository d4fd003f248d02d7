"""`install-config.yaml`: the cluster. The fields of OpenShift that apply to plain Kubernetes, and
cluster0's own below `kubernetes`: `docs/inputs.md`."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from inputs.schema.kubernetes_values import KubernetesVersion
from inputs.schema.model import InputModel
from inputs.schema.platforms import PlatformChoice
from inputs.schema.registries import RepositoryName
from inputs.schema.urls import Url
from inputs.schema.values import Cidr, ClusterName, DnsDomain, NoProxy, PullSecret, SshKeys

OPENSHIFT_PLUGINS = ("OVNKubernetes", "OpenShiftSDN")


class Metadata(InputModel):
    name: Annotated[ClusterName, Field(description="One DNS label; NAME.baseDomain is the cluster's domain.")]


Architecture = Literal["amd64", "arm64", "ppc64le", "s390x"]


class ControlPlane(InputModel):
    name: Literal["master"] = "master"
    architecture: Architecture = "amd64"
    replicas: Annotated[int, Field(ge=1, le=7, description="How many hosts run the control plane: 1, 3, 4 or 5.")]


class ComputePool(InputModel):
    name: Literal["worker"] = "worker"
    architecture: Architecture = "amd64"
    replicas: Annotated[int, Field(ge=0, le=10_000, description="How many workers; no hidden default of three.")] = 0


class ClusterNetworkEntry(InputModel):
    cidr: Cidr
    host_prefix: Annotated[int, Field(ge=1, le=128, description="Prefix length of each node's subnet.")]


class MachineNetworkEntry(InputModel):
    cidr: Cidr


class Networking(InputModel):
    machine_network: Annotated[
        tuple[MachineNetworkEntry, ...],
        Field(
            min_length=1,
            max_length=64,
            description="The networks of the hosts. [default: the network of the rendezvous address, from the "
            "host's networkConfig]",
        ),
    ] = ()
    cluster_network: Annotated[
        tuple[ClusterNetworkEntry, ...],
        Field(min_length=1, max_length=8, description="Networks of pods; one entry per IP family."),
    ] = (ClusterNetworkEntry.model_validate({"cidr": "10.128.0.0/14", "hostPrefix": 23}),)
    service_network: Annotated[
        tuple[Cidr, ...], Field(min_length=1, max_length=8, description="Networks of services; one per IP family.")
    ] = ("172.30.0.0/16",)
    network_type: Annotated[
        str, Field(description="As kubernetes.networkPlugin; OVNKubernetes and OpenShiftSDN are ignored.")
    ] = ""
    cluster_network_mtu: Annotated[int, Field(alias="clusterNetworkMTU", ge=0, le=65_535)] = 0


class Proxy(InputModel):
    http_proxy: Annotated[Url, Field(description="For images pulled over HTTP.")] = ""
    https_proxy: Annotated[Url, Field(description="For images pulled over HTTPS.")] = ""
    no_proxy: Annotated[
        NoProxy, Field(description="Further names and networks, joined by commas; internal ones are always excluded.")
    ] = ""


class ImageSource(InputModel):
    source: Annotated[
        RepositoryName, Field(description="The repository that images are named by, or all of a registry.")
    ]
    mirrors: Annotated[
        tuple[RepositoryName, ...],
        Field(description="Repositories with the same images, also by tag; tried in this order."),
    ] = ()
    source_policy: Annotated[
        Literal["NeverContactSource", "AllowContactingSource"],
        Field(description="Whether images that no mirror has are pulled from the source; one policy per registry."),
    ] = "AllowContactingSource"


class KubernetesSettings(InputModel):
    version: Annotated[
        KubernetesVersion, Field(description="The expected release; a base ISO with another one is rejected.")
    ] = ""
    network_plugin: Annotated[
        str, Field(description="The expected plugin; a base ISO with another one is rejected.")
    ] = ""
    cluster_configuration: dict[str, Any] = Field(
        default_factory=dict, description="Merged into kubeadm's ClusterConfiguration (RFC 7386: null removes)."
    )
    kubelet_configuration: dict[str, Any] = Field(
        default_factory=dict, description="Merged into the KubeletConfiguration of every node."
    )
    kube_proxy_configuration: dict[str, Any] = Field(
        default_factory=dict,
        description="Merged into the KubeProxyConfiguration of every node. Hosts that may not write "
        "nf_conntrack_max, such as containers, need `conntrack: {maxPerCore: 0, min: 0}`.",
    )


class InstallConfig(InputModel):
    api_version: Literal["v1"]
    kind: Literal["InstallConfig"] = "InstallConfig"
    base_domain: Annotated[DnsDomain, Field(description="The parent domain of the cluster's domain.")]
    metadata: Metadata
    control_plane: ControlPlane
    compute: Annotated[tuple[ComputePool, ...], Field(max_length=1)] = ()
    networking: Networking = Networking()
    platform: PlatformChoice
    ssh_key: Annotated[SshKeys, Field(description="Public keys, one per line, for logging in as `core`.")] = ""
    proxy: Annotated[
        Proxy, Field(description="For containerd, the kubelet and the agent. Nothing in the install needs it.")
    ] = Proxy()
    image_digest_sources: Annotated[
        tuple[ImageSource, ...],
        Field(description="Mirrors from which containerd pulls images that are not on the ISO."),
    ] = ()
    image_content_sources: Annotated[
        tuple[ImageSource, ...], Field(description="The older name of imageDigestSources; use one of the two.")
    ] = ()
    additional_trust_bundle: Annotated[
        str, Field(description="CA certificates, PEM, that every host trusts, live and installed.")
    ] = ""
    additional_trust_bundle_policy: Literal["Proxyonly", "Always", ""] = ""
    pull_secret: Annotated[PullSecret, Field(description="Checked, and not used: every image is on the ISO.")] = ""
    kubernetes: KubernetesSettings = KubernetesSettings()

    @property
    def worker_replicas(self) -> int:
        return sum(pool.replicas for pool in self.compute)
