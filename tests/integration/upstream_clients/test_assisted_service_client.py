"""assisted-service-client from PyPI, unmodified: its typed models accept every answer, and its calls succeed."""

from __future__ import annotations

import asyncio
import base64
import io
import tarfile
import warnings
from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from agent.api import operations
from agent.api.clusters import Completion
from agent.api.hosts import HostUpdate
from agent.api.operations import TokenRole
from replay.programs import Service
from tests.fakes.agent.agent import Agent

pytestmark = pytest.mark.integration

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # generated code for older Pythons
    from assisted_service_client import ApiClient, Configuration, api, models
    from assisted_service_client.rest import ApiException


def make_client(url: str, service: Service, **carriers: str) -> Any:
    """Its three APIs at `url`, with a token in each header named in `carriers`."""
    configuration = Configuration()
    configuration.host = f"{url}/api/assisted-install"
    configuration.ssl_ca_cert = str(service.site.ca)
    configuration.assert_hostname = False
    client = ApiClient(configuration=configuration)
    client.default_headers.update({name.replace("_", "-"): token for name, token in carriers.items()})
    return SimpleNamespace(
        installer=api.InstallerApi(client),
        manifests=api.ManifestsApi(client),
        events=api.EventsApi(client),
        versions=api.VersionsApi(client),
        raw=client,
    )


@pytest.fixture(params=["TLS", "plain"])
async def user(request: pytest.FixtureRequest, service: Service, plain_url: str) -> AsyncIterator[Any]:
    url = service.url if request.param == "TLS" else plain_url
    client = make_client(url, service, Authorization=service.site.token(TokenRole.USER))
    yield client
    client.raw.rest_client.pool_manager.clear()
    client.raw.pool.close()
    client.raw.pool.join()


async def test_assisted_service_client_installs_a_cluster(service: Service, user: Any) -> None:
    cluster, infra_env = await asyncio.to_thread(_register, user)
    agent = Agent(service)
    async with agent.client, service.client(TokenRole.USER) as ours:
        await agent.register()
        await agent.send_inventory()
        await asyncio.to_thread(_list, user, cluster.id, infra_env.id)
        await asyncio.to_thread(_decide, user, infra_env.id, agent.id)
        await ours.call(operations.UPDATE_HOST, HostUpdate(approved=True), **agent.path)
        await asyncio.to_thread(_configure, user, cluster.id)
        started = await asyncio.to_thread(user.installer.v2_install_cluster, cluster.id)
        assert started.status in {"preparing-for-installation", "installing"}
        await agent.wait_for_install()
        await agent.install()
        await ours.call(operations.COMPLETE_INSTALLATION, Completion(is_success=True), cluster_id=cluster.id)
    await asyncio.to_thread(_after, user, cluster.id, infra_env.id, agent.id)


def _register(user: Any) -> tuple[Any, Any]:
    cluster = user.installer.v2_register_cluster(
        models.ClusterCreateParams(
            name="demo",
            openshift_version="v1",
            pull_secret='{"auths":{}}',
            base_dns_domain="example.test",
            high_availability_mode="None",
            cluster_networks=[models.ClusterNetwork(cidr="10.244.0.0/16", host_prefix=24)],
            service_networks=[models.ServiceNetwork(cidr="10.96.0.0/12")],
            machine_networks=[models.MachineNetwork(cidr="127.0.0.0/8")],
        )
    )
    infra_env = user.installer.register_infra_env(
        models.InfraEnvCreateParams(name="demo", pull_secret='{"auths":{}}', cluster_id=cluster.id)
    )
    assert [item["id"] for item in user.installer.v2_list_clusters()] == [cluster.id]
    assert [item["id"] for item in user.installer.list_infra_envs()] == [infra_env.id]
    return cluster, infra_env


# What clients read of the items of lists, which they get as plain dictionaries: a key that is missing ends them.
HOST_KEYS = {
    *("id", "kind", "href", "status", "status_info", "requested_hostname", "infra_env_id", "cluster_id", "role"),
    *("inventory", "connectivity", "validations_info", "ntp_sources", "images_status", "domain_name_resolutions"),
    *("disks_info", "media_status", "progress", "progress_stages", "checked_in_at", "registered_at", "created_at"),
}


def _list(user: Any, cluster: str, infra_env: str) -> None:
    """Every way to hosts gives them whole, and says when each has called."""
    (of_infra_env,) = user.installer.v2_list_hosts(infra_env)
    (of_cluster,) = user.installer.list_cluster_hosts(cluster, with_connectivity=True)
    (inside,) = user.installer.v2_list_clusters(with_hosts=True)[0]["hosts"]
    for item in (of_infra_env, of_cluster, inside):
        assert item.keys() >= HOST_KEYS
        assert item["checked_in_at"] > "2000"
    assert user.installer.v2_get_cluster(cluster).hosts[0].checked_in_at.year > 2000


def _decide(user: Any, infra_env: str, host: str) -> None:
    update = models.HostUpdateParams(
        host_role="master",
        host_name="first",
        disks_selected_config=[models.DiskConfigParams(id="/dev/vda", role="install")],
    )
    assert user.installer.v2_update_host(infra_env, host, update).requested_hostname == "first"
    assert user.installer.v2_get_host(infra_env, host).status == "known"
    unbound = user.installer.unbind_host(infra_env, host)
    assert unbound.cluster_id is None
    cluster = user.installer.v2_list_clusters()[0]["id"]
    assert user.installer.bind_host(infra_env, host, models.BindHostParams(cluster_id=cluster)).cluster_id == cluster
    args = models.InstallerArgsParams(args=["--append-karg", "nosmt"])
    assert (
        user.installer.v2_update_host_installer_args(infra_env, host, args).installer_args
        == '["--append-karg","nosmt"]'
    )
    user.installer.v2_update_host_ignition(infra_env, host, models.HostIgnitionParams(config="{}"))
    assert user.installer.v2_get_host_ignition(infra_env, host).config == "{}"


def _configure(user: Any, cluster: str) -> None:
    manifest = models.CreateManifestParams(
        folder="openshift", file_name="a.yaml", content=base64.b64encode(b"kind: Secret\n").decode()
    )
    assert user.manifests.v2_create_cluster_manifest(cluster, manifest).file_name == "a.yaml"
    listed = user.manifests.v2_list_cluster_manifests(cluster)
    assert listed == [{"folder": "openshift", "file_name": "a.yaml", "manifest_source": "user"}]
    user.manifests.v2_delete_cluster_manifest(cluster, "a.yaml", folder="openshift")
    user.installer.v2_set_ignored_validations(
        cluster, ignored_validations=models.IgnoredValidations(host_validation_ids='["ntp-synced"]')
    )
    user.installer.v2_update_cluster_install_config(cluster, '{"fips":false}')
    assert "fips: false" in user.installer.v2_get_cluster_install_config(cluster)
    changed = user.installer.v2_update_cluster(cluster, models.V2ClusterUpdateParams(tags="one,two"))
    assert (changed.tags, changed.status) == ("one,two", "ready")
    assert user.installer.v2_get_preflight_requirements(cluster).ocp.master.quantitative.cpu_cores == 2
    assert user.installer.v2_get_cluster_default_config().cluster_network_host_prefix == 23
    with pytest.raises(ApiException) as refused:
        user.installer.v2_update_cluster(cluster, models.V2ClusterUpdateParams(name="other"))
    assert (refused.value.status, "fixed-by-the-iso" in refused.value.body) == (409, True)
    with pytest.raises(ApiException) as left_out:
        user.installer.transform_cluster_to_day2(cluster)
    assert left_out.value.status == 501
    with pytest.raises(ApiException) as too_early:
        user.installer.v2_reset_cluster(cluster)
    assert (too_early.value.status, "nothing-to-take-back" in too_early.value.body) == (409, True)


def _after(user: Any, cluster: str, infra_env: str, host: str) -> None:
    installed = user.installer.v2_get_cluster(cluster)
    assert (installed.status, installed.progress.total_percentage) == ("installed", 100)
    assert installed.install_completed_at.year > 2000
    assert installed.last_installation_preparation.status == "success"
    assert user.installer.v2_get_host(infra_env, host).progress.current_stage == "Done"
    credentials = user.installer.v2_download_cluster_credentials(cluster, "kubeconfig", _preload_content=False)
    assert b"kind: Config" in credentials.data
    assert {"message", "event_time", "severity"} <= user.events.v2_list_events(cluster_id=cluster)[0].keys()
    assert user.versions.v2_list_component_versions().release_tag == "unknown"
    with tarfile.open(
        fileobj=io.BytesIO(user.installer.v2_download_cluster_logs(cluster, _preload_content=False).data)
    ) as logs:
        assert logs.getnames() == []


async def test_assisted_service_client_authenticates_by_its_own_headers(
    service: Service, user: Any, tmp_path: Path
) -> None:
    """Its operations of agents carry the token in X-Secret-Key."""
    cluster, infra_env = await asyncio.to_thread(_register, user)
    agent = Agent(service)
    async with agent.client:
        registration = await agent.register()
    host = make_client(service.url, service, X_Secret_Key=registration.token)
    upload = tmp_path / "logs.tar.gz"
    with tarfile.open(upload, "w:gz") as archive:
        archive.add(__file__, arcname="journal.log")
    try:
        steps = await asyncio.to_thread(host.installer.v2_get_next_steps, infra_env.id, agent.id)
        assert [step.step_type for step in steps.instructions] == ["inventory"]
        await asyncio.to_thread(
            lambda: host.installer.v2_upload_logs(
                cluster.id, "host", upfile=str(upload), infra_env_id=infra_env.id, host_id=agent.id
            )
        )
    finally:
        host.raw.rest_client.pool_manager.clear()
        host.raw.pool.close()
        host.raw.pool.join()
    downloaded = await asyncio.to_thread(
        lambda: (
            user.installer.v2_download_cluster_logs(
                cluster.id, logs_type="host", host_id=agent.id, _preload_content=False
            ).data
        )
    )
    with tarfile.open(fileobj=io.BytesIO(downloaded)) as archive:
        assert archive.getnames() == ["journal.log"]
