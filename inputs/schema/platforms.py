"""`platform` of install-config.yaml: where the API answers, and who carries its address from host to host."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from inputs.schema.agent_config import Host
from inputs.schema.model import InputModel
from inputs.schema.values import IpAddress

USER_MANAGED = "UserManaged"


class NonePlatform(InputModel):
    """Platform none has no settings: the API answers at the rendezvous address."""


class LoadBalancer(InputModel):
    type: Annotated[
        Literal["UserManaged", "OpenShiftManagedDefault"],
        Field(description="UserManaged: a balancer of yours has the address and leads to every control plane."),
    ] = "OpenShiftManagedDefault"


class BaremetalPlatform(InputModel):
    api_vips: Annotated[
        tuple[IpAddress, ...],
        Field(
            alias="apiVIPs",
            min_length=1,
            max_length=2,
            description="A free address in the machine network: the API's. The control planes carry it by keepalived.",
        ),
    ]
    ingress_vips: Annotated[
        tuple[IpAddress, ...],
        Field(alias="ingressVIPs", max_length=2, description="Kept free; nothing is set up there."),
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

    none: Annotated[NonePlatform | None, Field(description="The API answers at the rendezvous address.")] = None
    baremetal: Annotated[BaremetalPlatform | None, Field(description="The API has a virtual address.")] = None
