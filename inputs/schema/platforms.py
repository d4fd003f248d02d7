"""`platform` of install-config.yaml: the address of the API server, and what provides it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from inputs.schema.agent_config import Host
from inputs.schema.model import InputModel
from inputs.schema.values import IpAddress

USER_MANAGED = "UserManaged"


class NonePlatform(InputModel):
    """Platform none has no settings: the address of the API server is the rendezvous address."""


class LoadBalancer(InputModel):
    type: Annotated[
        Literal["UserManaged", "OpenShiftManagedDefault"],
        Field(
            description="UserManaged: your own load balancer has the address and forwards to every control-plane host."
        ),
    ] = "OpenShiftManagedDefault"


class BaremetalPlatform(InputModel):
    api_vips: Annotated[
        tuple[IpAddress, ...],
        Field(
            alias="apiVIPs",
            min_length=1,
            max_length=2,
            description="A free address in the machine network. keepalived keeps it on a control-plane host.",
        ),
    ]
    ingress_vips: Annotated[
        tuple[IpAddress, ...],
        Field(alias="ingressVIPs", max_length=2, description="Reserved; nothing is set up there."),
    ] = ()
    load_balancer: LoadBalancer = LoadBalancer()
    hosts: Annotated[
        tuple[Host, ...],
        Field(description="The hosts, when agent-config.yaml lists none; `name` and `bootMACAddress` name a host."),
    ] = ()

    @property
    def api_address(self) -> str:
        return self.api_vips[0]


class PlatformChoice(InputModel):
    """Exactly one of them."""

    none: Annotated[NonePlatform | None, Field(description="The API server has the rendezvous address.")] = None
    baremetal: Annotated[BaremetalPlatform | None, Field(description="The API server has a virtual address.")] = None
