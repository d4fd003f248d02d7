"""aicli from PyPI, unmodified, as a user runs it: from an empty service to an installed cluster and its kubeconfig."""

from __future__ import annotations

import asyncio
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE, STDOUT
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from agent.api import operations
from agent.api.clusters import Completion
from agent.api.hosts import HostUpdate
from agent.api.operations import TokenRole
from agent.model.states import Stage
from replay.programs import Service
from tests.fakes.agent.agent import Agent

pytestmark = pytest.mark.integration

AICLI = Path(sys.executable).with_name("aicli")


@dataclass
class Aicli:
    """`aicli` at `url` with the user's token; `home` has what it looks for in a home directory."""

    url: str
    token: str
    home: Path

    async def __call__(self, *arguments: str) -> str:
        """What it prints. Fails with that when it does not exit 0 or prints an error."""
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-W", "ignore", AICLI, "--url", self.url, *arguments,
            env={**os.environ, "HOME": str(self.home), "AI_TOKEN": self.token, "COLUMNS": "400"},
            cwd=self.home, stdin=DEVNULL, stdout=PIPE, stderr=STDOUT,
        )  # fmt: skip
        printed, _ = await process.communicate()
        assert process.returncode == 0, printed.decode()
        return printed.decode()


def make_aicli(url: str, service: Service, home: Path) -> Aicli:
    (home / ".ssh").mkdir(parents=True)
    (home / "openshift_pull.json").write_text('{"auths":{}}')
    (home / ".ssh/id_ed25519.pub").write_text("ssh-ed25519 AAAA user@laptop\n")
    return Aicli(url=url, token=service.site.token(TokenRole.USER), home=home)


PARAMETERS = """
base_dns_domain: example.test
sno: true
cluster_networks: [{cidr: 10.244.0.0/16, host_prefix: 24}]
service_networks: [10.96.0.0/12]
machine_networks: [127.0.0.0/8]
"""


async def create(aicli: Aicli) -> None:
    """The cluster, and with it the infra-env."""
    (aicli.home / "demo.yml").write_text(PARAMETERS)
    await aicli("create", "cluster", "--paramfile", "demo.yml", "demo")


async def test_aicli_gets_from_nothing_to_a_kubeconfig(service: Service, plain_url: str, tmp_path: Path) -> None:
    aicli = make_aicli(plain_url, service, tmp_path / "home")
    await create(aicli)
    assert "demo" in await aicli("list", "cluster")
    assert "demo_infra-env" in await aicli("list", "infraenv")

    agent = Agent(service)
    async with agent.client, service.client(TokenRole.USER) as user:
        await agent.register()
        await agent.send_inventory()
        settings = ("role=master", "disk=vda", "name=first", "labels=[rack=a1]", "extra_args=--append-karg=nosmt")
        await aicli("update", "host", "node0", *(word for setting in settings for word in ("-P", setting)))
        assert "first" in await aicli("list", "host")
        updated = await user.call(operations.GET_HOST, **agent.path)
        assert (updated.node_labels, updated.installer_args) == ('{"rack":"a1"}', '["--append-karg","nosmt"]')
        await aicli("unbind", "host", "first")
        await aicli("bind", "host", "first", "demo")
        await _manifests_and_validations(aicli)

        await user.call(operations.UPDATE_HOST, HostUpdate(approved=True), **agent.path)
        await aicli("wait", "cluster", "demo", "-s", "ready")
        await aicli("start", "cluster", "demo")
        await agent.wait_for_install()
        await agent.install()
        completion = Completion(is_success=True)
        await user.call(operations.COMPLETE_INSTALLATION, completion, cluster_id=service.site.intent.cluster_id)
    await aicli("wait", "cluster", "demo")
    await aicli("download", "kubeconfig", "demo")
    assert "kind: Config" in (aicli.home / "kubeconfig.demo").read_text()
    assert Stage.DONE in await aicli("list", "event", "demo")


async def _manifests_and_validations(aicli: Aicli) -> None:
    directory = aicli.home / "extra"
    directory.mkdir()
    (directory / "50-one.yaml").write_text("kind: ConfigMap\n")
    await aicli("create", "manifest", "--dir", str(directory), "demo")
    assert "50-one.yaml" in await aicli("list", "manifest", "demo")
    (directory / "50-one.yaml").unlink()
    await aicli("download", "manifests", "demo", "--path", str(directory))
    assert (directory / "50-one.yaml").read_text() == "kind: ConfigMap\n"
    assert "sufficient-masters-count" in await aicli("info", "validation", "demo")


async def test_aicli_reads_and_deletes_over_tls(service: Service, tmp_path: Path) -> None:
    """aicli does not verify certificates of services that are not the hosted one."""
    aicli = make_aicli(service.url, service, tmp_path / "home")
    await create(aicli)
    assert "status: insufficient" in await aicli("info", "cluster", "demo")
    assert "release: unknown" in await aicli("info", "service")
    assert "type: full-iso" in await aicli("info", "infraenv", "demo_infra-env")
    await aicli("update", "cluster", "demo", "-P", "additional_ntp_source=192.0.2.1")
    await aicli("update", "installconfig", "demo", "-P", "installconfig={'fips': False}")
    await aicli("download", "installconfig", "demo")
    assert "fips: false" in (aicli.home / "install-config.yaml.demo").read_text()
    exported = yaml.safe_load((await aicli("export", "cluster", "demo")).partition("\n")[2])
    assert exported["base_dns_domain"] == "example.test"
    await aicli("update", "cluster", "demo", "-P", "ignore_validations=True")
    assert "all" in await aicli("info", "cluster", "demo", "--full")
    await aicli("delete", "cluster", "--yes", "demo")
    assert "demo" not in await aicli("list", "cluster")
    assert "demo_infra-env" not in await aicli("list", "infraenv")
