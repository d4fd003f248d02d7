"""Every cluster validation."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from agent.api import checks
from agent.api.clusters import Cidr, ClusterNetworkEntry, PlatformType, Vip
from agent.model.intent import Role
from agent.model.states import HostStatus, ValidationStatus
from node0 import validations
from node0.store.records import HostRecord
from node0.validations.engine.facts import ClusterFacts
from tests.fakes.node0.records import SPEC, cluster, host

VALIDATIONS = {item.id: item for item in validations.CLUSTER_VALIDATIONS}
S = ValidationStatus


def facts(*hosts: HostRecord, **spec: Any) -> ClusterFacts:
    return ClusterFacts(cluster=cluster(spec=msgspec.structs.replace(SPEC, **spec)), hosts=hosts)


V6 = (Cidr(cidr="fd02::/112"),)
DUAL = (Cidr(cidr="192.0.2.0/24"), Cidr(cidr="2001:db8::/64"))
VIP = (Vip(ip="127.0.0.9"),)
OUTSIDE = (Vip(ip="192.0.2.1"),)
LATE = host(HostStatus.DISCONNECTED, id="b", clock_offset=10**6)


def pods(cidr: str, prefix: int) -> tuple[ClusterNetworkEntry, ...]:
    return (ClusterNetworkEntry(cidr=cidr, host_prefix=prefix),)


def asked_for_vip(verification: str) -> HostRecord:
    return host(vips=(checks.VipCheck(vip="127.0.0.9", vip_type="api", verification=verification),))


OVERLAPPING = (Cidr(cidr="10.244.128.0/17"),)


@pytest.mark.parametrize(
    ("id", "facts", "status", "words"),
    [
        ("cluster-cidr-defined", facts(), S.SUCCESS, "10.244.0.0/16"),
        ("cluster-cidr-defined", facts(cluster_networks=()), S.FAILURE, "No cluster network"),
        ("service-cidr-defined", facts(), S.SUCCESS, ""),
        ("service-cidr-defined", facts(service_networks=()), S.FAILURE, "No service network"),
        ("machine-cidr-defined", facts(), S.SUCCESS, ""),
        ("machine-cidr-defined", facts(machine_networks=()), S.FAILURE, "No machine network"),
        ("dns-domain-defined", facts(), S.SUCCESS, "example.test"),
        ("dns-domain-defined", facts(base_dns_domain=""), S.FAILURE, ""),
        ("pull-secret-set", facts(), S.SUCCESS, ""),
        ("no-cidrs-overlapping", facts(), S.SUCCESS, ""),
        ("no-cidrs-overlapping", facts(service_networks=OVERLAPPING), S.FAILURE, "overlaps the service network"),
        ("no-cidrs-overlapping", facts(machine_networks=OVERLAPPING), S.FAILURE, "overlaps the machine network"),
        ("no-cidrs-overlapping", facts(service_networks=(Cidr(cidr="fd02::/112"),)), S.SUCCESS, ""),
        ("no-cidrs-overlapping", facts(service_networks=()), S.PENDING, ""),
        ("networks-same-address-families", facts(), S.SUCCESS, "hosts use IPv4"),
        ("networks-same-address-families", facts(machine_networks=DUAL), S.SUCCESS, "hosts use IPv4"),
        ("networks-same-address-families", facts(machine_networks=V6), S.FAILURE, "machine network is IPv6"),
        ("networks-same-address-families", facts(service_networks=V6), S.FAILURE, "service network is IPv6"),
        ("network-prefix-valid", facts(), S.SUCCESS, ""),
        ("network-prefix-valid", facts(cluster_networks=pods("10.244.0.0/16", 26)), S.FAILURE, "longer than 25"),
        ("network-prefix-valid", facts(cluster_networks=pods("10.244.0.0/23", 24)), S.FAILURE, "has 2 subnets of /24"),
        ("network-prefix-valid", facts(cluster_networks=pods("10.244.0.0/16", 8)), S.FAILURE, "has 0 subnets"),
        ("api-vips-defined", facts(), S.FAILURE, ""),
        ("api-vips-defined", facts(api_vips=VIP), S.SUCCESS, "127.0.0.9"),
        ("api-vips-valid", facts(host(), api_vips=VIP), S.PENDING, "in its network to probe 127.0.0.9"),
        ("api-vips-valid", facts(asked_for_vip("unverified"), api_vips=VIP), S.PENDING, "to probe 127.0.0.9"),
        ("ingress-vips-valid", facts(asked_for_vip("unverified"), ingress_vips=VIP), S.PENDING, "to probe"),
        ("api-vips-valid", facts(asked_for_vip("succeeded"), api_vips=VIP), S.SUCCESS, ""),
        ("api-vips-valid", facts(asked_for_vip("failed"), api_vips=VIP), S.FAILURE, "answered the probe of node0"),
        (
            "api-vips-valid",
            facts(asked_for_vip("succeeded"), api_vips=OUTSIDE),
            S.FAILURE,
            "not in the machine network",
        ),
        ("ingress-vips-valid", facts(asked_for_vip("succeeded"), ingress_vips=VIP), S.SUCCESS, ""),
        (
            "ingress-vips-valid",
            facts(asked_for_vip("succeeded"), api_vips=VIP, ingress_vips=VIP),
            S.FAILURE,
            "also the API's address",
        ),
        ("machine-cidr-equals-to-calculated-cidr", facts(host(), api_vips=VIP), S.SUCCESS, "127.0.0.0/8"),
        (
            "machine-cidr-equals-to-calculated-cidr",
            facts(host(), api_vips=VIP, machine_networks=(Cidr(cidr="127.0.0.0/16"),)),
            S.FAILURE,
            "are in 127.0.0.0/8",
        ),
        ("ntp-server-configured", facts(host(), host(id="b", clock_offset=240)), S.SUCCESS, ""),
        ("ntp-server-configured", facts(host(), host(id="b", clock_offset=-241)), S.FAILURE, "4 minutes ahead"),
        ("ntp-server-configured", facts(host(), LATE), S.SUCCESS, ""),
        ("all-hosts-are-ready-to-install", facts(host()), S.SUCCESS, ""),
        ("all-hosts-are-ready-to-install", facts(host(HostStatus.INSUFFICIENT)), S.FAILURE, "node0 is insufficient"),
        ("sufficient-masters-count", facts(host()), S.SUCCESS, "1 of 1"),
        ("sufficient-masters-count", facts(), S.FAILURE, "0 of 1"),
        ("sufficient-masters-count", facts(host(), host(id="b")), S.FAILURE, "2 of 1"),
        ("sufficient-masters-count", facts(host(role=Role.WORKER)), S.FAILURE, "0 of 1"),
    ],
)
def test_each_cluster_validation_has_its_verdict(
    id: str, facts: ClusterFacts, status: ValidationStatus, words: str
) -> None:
    verdict = VALIDATIONS[id].verdict(facts)
    assert verdict.status is status
    assert words in verdict.message
    assert verdict.remedy or status in {S.SUCCESS, S.PENDING}


def test_platform_none_needs_no_machine_network() -> None:
    validation = VALIDATIONS["machine-cidr-defined"]
    assert not validation.applies(facts(platform=PlatformType(type="none")))
    assert validation.applies(facts(platform=PlatformType(type="baremetal")))
