"""`agent-config.yaml`: the hosts. Fields are the agent-based installer's, and our own: `docs/inputs.md`."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from inputs.schema.ignition_override import IgnitionOverride
from inputs.schema.kubernetes_values import KernelArgument, LabelKey, LabelValue
from inputs.schema.model import InputModel
from inputs.schema.network_config import NetworkConfig
from inputs.schema.urls import Url
from inputs.schema.values import DeviceName, Hostname, InterfaceName, IpAddress, Mac, NtpSource


class Metadata(InputModel):
    name: Annotated[str, Field(description="Should be the cluster's name; install-config.yaml overrides it.")] = ""


class Interface(InputModel):
    name: Annotated[
        InterfaceName,
        Field(description="Your own name for the NIC with this address; networkConfig uses the same name."),
    ]
    mac_address: Annotated[Mac, Field(description="The NIC's permanent address: 52:54:00:12:34:56.")]


class DiskHints(InputModel):
    """All given hints must match. Of several matching disks the first in assisted-service's order is used."""

    device_name: Annotated[
        DeviceName, Field(description="/dev/NAME, or a link /dev/disk/by-path/NAME to this disk only.")
    ] = ""
    hctl: Annotated[str, Field(pattern=r"^\d+:\d+:\d+:\d+$", description="SCSI address, like 1:0:0:0.")] = ""
    model: Annotated[
        str, Field(description="Part of the model's name, in any case; a space also matches an underscore.")
    ] = ""
    vendor: Annotated[str, Field(description="Part of the vendor's name, likewise.")] = ""
    serial_number: Annotated[str, Field(description="The whole serial number.")] = ""
    min_size_gigabytes: Annotated[
        int, Field(ge=0, le=10_000_000, description="The smallest size, in units of 10^9 bytes.")
    ] = 0
    wwn: Annotated[str, Field(description="World-wide name, with or without the vendor's extension.")] = ""
    rotational: Annotated[bool | None, Field(description="Whether the disk spins.")] = None


class Taint(InputModel):
    key: LabelKey
    value: LabelValue = ""
    effect: Literal["NoSchedule", "PreferNoSchedule", "NoExecute"]


class Host(InputModel):
    hostname: Annotated[Hostname, Field(description="Also the node's name. [default: ROLE-NUMBER]")] = ""
    role: Annotated[
        Literal["master", "worker", ""],
        Field(description="Without roles, node0 and then the first hosts become masters until there are enough."),
    ] = ""
    interfaces: Annotated[
        tuple[Interface, ...], Field(description="Its NICs: their MAC addresses identify the machine as this host.")
    ] = ()
    root_device_hints: Annotated[
        DiskHints,
        Field(
            description="The disk to install to; all hints must fit. [default: of the disks that can be used, a "
            "bootable one first, then HDD before SSD before NVMe, then the smallest; disks of a storage network last]"
        ),
    ] = DiskHints()
    network_config: Annotated[
        NetworkConfig | None,
        Field(description="NMState, also as a block of text. [default: DHCP on every interface]"),
    ] = None
    consent_to_wipe: Annotated[
        bool, Field(description="The chosen disk may be overwritten even if it is not empty.")
    ] = False
    node_labels: dict[LabelKey, LabelValue] = Field(
        default_factory=dict, description="Labels of the Kubernetes node, set once it is Ready."
    )
    node_taints: Annotated[tuple[Taint, ...], Field(description="Taints of the node, set once it is Ready.")] = ()
    kernel_arguments: Annotated[
        tuple[KernelArgument, ...], Field(description="For the kernel of this host's installed system.")
    ] = ()
    ignition_config_override: Annotated[
        IgnitionOverride, Field(description="An Ignition config (JSON) for this host's installed system.")
    ] = ""


class AgentConfig(InputModel):
    api_version: Literal["v1beta1", "v1alpha1"]
    kind: Literal["AgentConfig"] = "AgentConfig"
    metadata: Metadata = Metadata()
    rendezvous_ip: Annotated[
        IpAddress,
        Field(
            alias="rendezvousIP",
            description="Address of the host that leads the install. [default: the first static address of the first "
            "host that is not a worker]",
        ),
    ] = ""
    additional_ntp_sources: Annotated[
        tuple[NtpSource, ...], Field(alias="additionalNTPSources", description="Time servers, by name or address.")
    ] = ()
    boot_artifacts_base_url: Annotated[
        Url, Field(alias="bootArtifactsBaseURL", description="Where DIR/boot-artifacts will be served.")
    ] = ""
    minimal_iso: Annotated[
        bool, Field(alias="minimalISO", description="Hosts fetch the root image over the network.")
    ] = False
    hosts: Annotated[
        tuple[Host, ...],
        Field(description="Without any, every host that boots the ISO joins the install."),
    ] = ()
    kernel_arguments: Annotated[
        tuple[KernelArgument, ...], Field(description="For every host's kernel, live and installed.")
    ] = ()
    ssh_enabled: Annotated[bool, Field(description="Whether sshd runs, live and installed.")] = True
    missing_workers: Annotated[
        Literal["wait", "continue"],
        Field(
            description="Whether the install waits for workers that are not ready. With `continue` they "
            "can join later, while node0's service runs."
        ),
    ] = "wait"
    missing_workers_minutes: Annotated[
        int,
        Field(
            ge=0, le=1440, description="With `continue`: how long the install waits once the control plane is ready."
        ),
    ] = 15
    token_lifetime_days: Annotated[
        int, Field(ge=1, le=365, description="How long after `create image` hosts may boot the ISO for the first time.")
    ] = 30
    service_lifetime_minutes: Annotated[
        int, Field(ge=1, le=525_600, description="How long node0's service runs after the install.")
    ] = 60
    ignition_config_override: Annotated[
        IgnitionOverride,
        Field(
            description="Ignition config (JSON) for every host, live and installed. It overrides the generated config."
        ),
    ] = ""
