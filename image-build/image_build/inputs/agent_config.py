"""`agent-config.yaml`: the hosts. Fields are the agent-based installer's; `consentToWipe` is our addition."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from image_build.inputs.model import InputModel
from image_build.inputs.network_config import NetworkConfig
from image_build.inputs.values import DeviceName, Hostname, IpAddress, Mac, NtpSource


class Metadata(InputModel):
    """Kept for the sake of existing files; the cluster's name is in `install-config.yaml`."""

    name: str = ""
    namespace: str = ""


class Interface(InputModel):
    """`name` is the user's own handle for the NIC with this MAC address; `networkConfig` uses the same."""

    name: Annotated[str, Field(min_length=1)]
    mac_address: Mac


class DiskHints(InputModel):
    device_name: DeviceName


class Host(InputModel):
    """`consent_to_wipe`: the chosen disk may be overwritten although there is something on it."""

    hostname: Hostname = ""
    role: Literal["master", "worker", ""] = ""
    interfaces: tuple[Interface, ...] = ()
    root_device_hints: DiskHints | None = None
    network_config: NetworkConfig | None = None
    consent_to_wipe: bool = False


class AgentConfig(InputModel):
    api_version: Literal["v1beta1", "v1alpha1"]
    kind: Literal["AgentConfig"] = "AgentConfig"
    metadata: Metadata = Metadata()
    rendezvous_ip: Annotated[IpAddress, Field(alias="rendezvousIP")]
    additional_ntp_sources: Annotated[tuple[NtpSource, ...], Field(alias="additionalNTPSources")] = ()
    hosts: tuple[Host, ...] = ()
