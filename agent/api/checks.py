"""Arguments and results of the checks that node0 requests from a host, as assisted-service spells them.

Durations are milliseconds, addresses have no prefix length unless a field says CIDR. What is marked "our addition" has
no counterpart there; clients skip fields that they do not know. What a host reports has bounds.
"""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from agent.model.bounds import Address, Addresses, LongText, Name, Names, Text
from agent.model.states import ValidationStatus


class PeerNic(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    name: str
    mac: str
    ip_addresses: tuple[str, ...] = ()


class Peer(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Another host to be reached. The argument of the connectivity check is a list of these.

    `tcp_ports` is our addition: ports that Kubernetes needs open on the way there.
    """

    host_id: str
    nics: tuple[PeerNic, ...] = ()
    tcp_ports: tuple[int, ...] = ()


class L2Connectivity(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A machine with `remote_mac` answered for `remote_ip_address`; `successful`: it is one of the peer's MACs.

    Several entries for one address are several machines that claim it. Without an answer: no MAC, not successful.
    """

    outgoing_nic: Name
    remote_ip_address: Address
    remote_mac: Name = ""
    successful: bool = False
    outgoing_ip_address: Address = ""


class L3Connectivity(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Echoes to an address of the peer. `packet_loss_percentage`: 0 to 100."""

    outgoing_nic: Name
    remote_ip_address: Address
    successful: bool = False
    average_rtt_ms: float = 0.0
    packet_loss_percentage: float = 0.0


class MtuReport(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Whether a packet of the NIC's whole MTU gets there in one piece."""

    outgoing_nic: Name
    remote_ip_address: Address
    mtu_successful: bool = False


class TcpReport(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Whether something between the hosts drops packets to `port`. A connection that the peer itself refuses gets there
    all right: nothing listens before the install."""

    remote_ip_address: Address
    port: int
    successful: bool = False


class RemoteHost(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What one peer looks like from here. `tcp_connectivity` is our addition."""

    host_id: Name
    l2_connectivity: Annotated[tuple[L2Connectivity, ...], Meta(max_length=1024)] = ()
    l3_connectivity: Annotated[tuple[L3Connectivity, ...], Meta(max_length=1024)] = ()
    mtu_report: Annotated[tuple[MtuReport, ...], Meta(max_length=1024)] = ()
    tcp_connectivity: Annotated[tuple[TcpReport, ...], Meta(max_length=1024)] = ()


class ConnectivityReport(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    remote_hosts: Annotated[tuple[RemoteHost, ...], Meta(max_length=2048)] = ()


class FreeAddresses(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Addresses of `network` (a CIDR) for which no machine answers."""

    network: Address
    free_addresses: Annotated[tuple[Address, ...], Meta(max_length=8192)] = ()


class Domain(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    domain_name: str


class DomainRequest(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    domains: tuple[Domain, ...] = ()


class Resolution(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """No address: the name does not resolve on this host."""

    domain_name: Name
    ipv4_addresses: Addresses = ()
    ipv6_addresses: Addresses = ()
    cnames: Names = ()


class DomainReply(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    resolutions: Annotated[tuple[Resolution, ...], Meta(max_length=64)] = ()


class VipCheck(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """`vip_type`: api or ingress. In the result `verification`: succeeded (it is free), failed or unverified."""

    vip: Address
    vip_type: Name
    verification: Name = "unverified"


class DiskSpeedRequest(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """`path`: the disk that the host will be installed to."""

    path: str


class DiskSpeedReply(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """`io_sync_duration`: 99 of 100 synced writes take no longer."""

    path: Text
    io_sync_duration: int


class DiskSpeedState(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """How the measurement of a disk went. `speed_ms`: 99 of 100 synced writes take no longer."""

    tested: bool = False
    exit_code: int = 0
    speed_ms: int = 0


class DiskInfo(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One entry of a host's `disks_info`, which maps the path of a disk to this."""

    id: str
    path: str
    disk_speed: DiskSpeedState


class ImagesRequest(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """`images`: names to look for; empty, our addition: all that the host's own release names. `timeout`: seconds."""

    images: tuple[str, ...] = ()
    timeout: int = 960


class ImageStatus(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """`result`: success or failure. Nothing is downloaded here, so size, time and rate are mostly 0."""

    name: Text
    result: Name
    size_bytes: float = 0.0
    time: float = 0.0
    download_rate: float = 0.0


class ImagesReply(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    images: Annotated[tuple[ImageStatus, ...], Meta(max_length=1024)] = ()


MOST_USER_CHECKS = 16
"""The limit makes sure that all of them end before the step's deadline."""


class UserVerdict(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What one executable of the user reports. `id`: its file name. `gates`: whether anything but success
    keeps the install from starting."""

    id: Name
    status: ValidationStatus
    message: LongText
    remedy: LongText = ""
    gates: bool = True


class UserChecksReply(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    checks: Annotated[tuple[UserVerdict, ...], Meta(max_length=MOST_USER_CHECKS)] = ()
