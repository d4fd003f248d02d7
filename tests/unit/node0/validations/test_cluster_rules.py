"""Every cluster validation."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from agent.api import resources as r
from agent.api.intent import Role
from agent.api.states import HostStatus, ValidationStatus
from node0 import validations
from node0.store.records import HostRecord
from node0.validations.facts import ClusterFacts
from tests.fakes.records import ASKED, cluster, host

RULES = {rule.id: rule for rule in validations.CLUSTER_RULES}
S = ValidationStatus


def facts(*hosts: HostRecord, **asked: Any) -> ClusterFacts:
    return ClusterFacts(cluster=cluster(asked=msgspec.structs.replace(ASKED, **asked)), hosts=hosts)


OVERLAPPING = (r.Cidr(cidr="10.244.128.0/17"),)


@pytest.mark.parametrize(
    ("rule", "facts", "status", "words"),
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
        ("no-cidrs-overlapping", facts(service_networks=(r.Cidr(cidr="fd02::/112"),)), S.SUCCESS, ""),
        ("no-cidrs-overlapping", facts(service_networks=()), S.PENDING, ""),
        ("all-hosts-are-ready-to-install", facts(host()), S.SUCCESS, ""),
        ("all-hosts-are-ready-to-install", facts(host(HostStatus.INSUFFICIENT)), S.FAILURE, "node0 is insufficient"),
        ("sufficient-masters-count", facts(host()), S.SUCCESS, "1 of 1"),
        ("sufficient-masters-count", facts(), S.FAILURE, "0 of 1"),
        ("sufficient-masters-count", facts(host(), host(id="b")), S.FAILURE, "2 of 1"),
        ("sufficient-masters-count", facts(host(role=Role.WORKER)), S.FAILURE, "0 of 1"),
    ],
)
def test_verdict(rule: str, facts: ClusterFacts, status: ValidationStatus, words: str) -> None:
    verdict = RULES[rule].check(facts)
    assert verdict.status is status
    assert words in verdict.message
    assert verdict.remedy or status in {S.SUCCESS, S.PENDING}


def test_platform_none_needs_no_machine_network() -> None:
    rule = RULES["machine-cidr-defined"]
    assert not rule.applies(facts(platform=r.PlatformType(type="none")))
    assert rule.applies(facts(platform=r.PlatformType(type="baremetal")))
