"""Changes of configuration: what may change, what the ISO has fixed, and what is refused with which code."""

from __future__ import annotations

import base64
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from agent.api import requests as q
from agent.api.clusters import Cidr, ClusterCreate
from agent.api.hosts import HostUpdate
from agent.machine.clock import Clock
from agent.model.problems import Problem
from agent.model.states import ClusterStatus, HostStatus
from node0.changes.binding import bind_host, unbind_host
from node0.changes.cluster_update import update_cluster
from node0.changes.host_update import update_host
from node0.changes.ignored_validations import ignore_validations
from node0.changes.infra_env_update import update_infra_env
from node0.changes.manifests import create_manifest, delete_manifest, update_manifest
from node0.changes.overrides import override_install_config, set_installer_args
from node0.changes.removal import remove_cluster, remove_host, remove_infra_env
from node0.reconcile.timers import Timers
from node0.reconcile.transaction import Change, Transaction
from node0.rest.operations.cluster_files import install_config, merged
from node0.rest.views.clusters import infra_env_view
from node0.rest.views.parts import timestamp
from node0.store.records import Records
from tests.fakes.node0.records import CLUSTER_ID, HOST_ID, INFRA_ENV_ID, NOW, cluster, host, site


def made(*changes: Change, records: Records | None = None) -> Transaction:
    transaction = Transaction(records or site(host()), Timers(Clock()), NOW)
    for change in changes:
        change(transaction)
    return transaction


def encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def manifest(name: str = "a.yaml", content: str = "kind: A", folder: str = "manifests") -> q.ManifestCreate:
    return q.ManifestCreate(file_name=name, content=encoded(content), folder=folder)


LATER = NOW + timedelta(minutes=1)
INSTALLING = site(host(HostStatus.INSTALLING), status=ClusterStatus.INSTALLING)

REFUSALS: dict[str, tuple[Callable[[], Any], str]] = {
    "another name than the ISO's": (
        lambda: made(update_cluster(CLUSTER_ID, q.ClusterUpdate(name="other"))),
        "fixed-by-the-iso",
    ),
    "other networks than the ISO's": (
        lambda: made(update_cluster(CLUSTER_ID, q.ClusterUpdate(service_networks=(Cidr(cidr="10.0.0.0/8"),)))),
        "fixed-by-the-iso",
    ),
    "a network that is none": (
        lambda: made(update_cluster(CLUSTER_ID, q.ClusterUpdate(machine_networks=(Cidr(cidr="10.0.0.1/8"),)))),
        "address-invalid",
    ),
    "a cluster that is being installed": (
        lambda: made(update_cluster(CLUSTER_ID, q.ClusterUpdate(tags="x")), records=INSTALLING),
        "cluster-not-changeable",
    ),
    "kernel arguments of a booted ISO": (
        lambda: made(update_infra_env(INFRA_ENV_ID, q.InfraEnvUpdate(rendezvous_ip="192.0.2.9"))),
        "fixed-by-the-iso",
    ),
    "removing a cluster that is being installed": (
        lambda: made(remove_cluster(CLUSTER_ID), records=INSTALLING),
        "cluster-is-installing",
    ),
    "removing a host that is being installed": (
        lambda: made(remove_host(INFRA_ENV_ID, HOST_ID), records=INSTALLING),
        "host-is-installing",
    ),
    "removing an infra-env with hosts": (lambda: made(remove_infra_env(INFRA_ENV_ID)), "infra-env-has-hosts"),
    "binding a bound host": (lambda: made(bind_host(INFRA_ENV_ID, HOST_ID, CLUSTER_ID)), "host-is-bound"),
    "approving an unbound host": (
        lambda: made(unbind_host(INFRA_ENV_ID, HOST_ID), update_host(INFRA_ENV_ID, HOST_ID, HostUpdate(approved=True))),
        "host-is-unbound",
    ),
    "a manifest that is no YAML": (lambda: create_manifest(CLUSTER_ID, manifest(content="a: [")), "manifest-not-yaml"),
    "an empty manifest": (lambda: create_manifest(CLUSTER_ID, manifest(content=" ")), "manifest-empty"),
    "a manifest that is no base64": (
        lambda: create_manifest(CLUSTER_ID, q.ManifestCreate(file_name="a.yaml", content="%")),
        "manifest-not-base64",
    ),
    "a manifest that leads out of its folder": (
        lambda: create_manifest(CLUSTER_ID, manifest(name="../a.yaml")),
        "manifest-name-invalid",
    ),
    "a folder that is none": (lambda: create_manifest(CLUSTER_ID, manifest(folder="etc")), "folder-unknown"),
    "the same manifest in both folders": (
        lambda: made(
            create_manifest(CLUSTER_ID, manifest()), create_manifest(CLUSTER_ID, manifest(folder="openshift"))
        ),
        "manifest-twice",
    ),
    "a manifest once the install has started": (
        lambda: made(create_manifest(CLUSTER_ID, manifest()), records=INSTALLING),
        "manifests-not-changeable",
    ),
    "a manifest that is not there": (lambda: made(delete_manifest(CLUSTER_ID, "manifests", "b")), "manifest-unknown"),
    "overrides that are no object": (lambda: override_install_config(CLUSTER_ID, "[]"), "not-an-object"),
    "an option that coreos-installer has not": (
        lambda: set_installer_args(INFRA_ENV_ID, HOST_ID, q.InstallerArgs(args=("--rm", "-rf"))),
        "installer-arg-unknown",
    ),
    "an option without its value": (
        lambda: set_installer_args(INFRA_ENV_ID, HOST_ID, q.InstallerArgs(args=("--append-karg",))),
        "installer-arg-incomplete",
    ),
    "a validation that is none": (
        lambda: ignore_validations(CLUSTER_ID, q.IgnoredValidations(host_validation_ids='["nonsense"]')),
        "validation-unknown",
    ),
    "ids that are no list": (
        lambda: ignore_validations(CLUSTER_ID, q.IgnoredValidations(cluster_validation_ids="all")),
        "not-a-list",
    ),
}


@pytest.mark.parametrize("what", REFUSALS)
def test_each_invalid_configuration_change_is_refused_with_its_code(what: str) -> None:
    attempt, code = REFUSALS[what]
    with pytest.raises(Problem) as caught:
        attempt()
    assert caught.value.code == code


def test_a_value_that_was_never_given_can_be_given_once() -> None:
    """aicli sends the networks in an update after the registration."""
    requested = ClusterCreate(id=CLUSTER_ID, name="demo", openshift_version="v1")
    from_aicli = Records(cluster=cluster(ClusterStatus.PENDING_FOR_INPUT, requested))
    networks = (Cidr(cidr="10.96.0.0/12"),)
    transaction = made(update_cluster(CLUSTER_ID, q.ClusterUpdate(service_networks=networks)), records=from_aicli)
    assert transaction.records.cluster is not None
    assert transaction.records.cluster.spec.service_networks == networks


def test_hosts_that_were_not_installed_outlive_their_cluster() -> None:
    records = site(host(), host(HostStatus.INSTALLED, id="done"), status=ClusterStatus.INSTALLED)
    left = made(remove_cluster(CLUSTER_ID), records=records).records
    assert left.cluster is None
    assert [(host.id, host.approved) for host in left.hosts.values()] == [(HOST_ID, False)]


def test_an_unbound_host_takes_no_part_until_it_is_bound_and_approved_again() -> None:
    transaction = made(unbind_host(INFRA_ENV_ID, HOST_ID))
    assert (transaction.records.hosts[HOST_ID].bound, transaction.records.hosts[HOST_ID].approved) == (False, False)
    bind_host(INFRA_ENV_ID, HOST_ID, CLUSTER_ID)(transaction)
    assert (transaction.records.hosts[HOST_ID].bound, transaction.records.hosts[HOST_ID].approved) == (True, False)


def test_a_manifest_is_renamed_moved_and_replaced() -> None:
    change = q.ManifestUpdate(
        folder="manifests",
        file_name="a.yaml",
        updated_folder="openshift",
        updated_file_name="b.yml",
        updated_content=encoded("kind: B"),
    )
    transaction = made(create_manifest(CLUSTER_ID, manifest()), update_manifest(CLUSTER_ID, change))
    assert {key: item.content for key, item in transaction.records.manifests.items()} == {"openshift/b.yml": b"kind: B"}


def test_overrides_are_merged_mapping_by_mapping() -> None:
    transaction = made(override_install_config(CLUSTER_ID, '{"networking": {"networkType": "Calico"}, "fips": true}'))
    assert transaction.records.cluster is not None
    text = install_config(transaction.records.cluster)
    assert "networkType: Calico" in text
    assert "10.244.0.0/16" in text
    assert "fips: true" in text
    assert merged({"a": {"b": 1, "c": 2}}, {"a": {"c": {"d": 3}}}) == {"a": {"b": 1, "c": {"d": 3}}}


def test_a_changed_infra_env_has_its_time_of_change() -> None:
    transaction = Transaction(site(), Timers(Clock()), LATER)
    update_infra_env(INFRA_ENV_ID, q.InfraEnvUpdate(additional_ntp_sources="192.0.2.1"))(transaction)
    assert transaction.records.infra_env is not None
    shown = infra_env_view(transaction.records.infra_env)
    assert (shown.created_at, shown.updated_at) == (timestamp(NOW), timestamp(LATER))
