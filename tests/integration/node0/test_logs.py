"""Logs that hosts hand in: whose they may be, and that no secret comes back out of them."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

import pytest

from agent.api import operations, requests
from agent.api.client import Client, Refused
from agent.api.timestamps import UNSET_TIME
from agent.model import host_paths
from agent.model.states import LogsState
from replay.programs import Service
from tests.fakes.agent.agent import Agent

pytestmark = pytest.mark.integration


def archive(path: Path, files: dict[str, bytes]) -> Path:
    with tarfile.open(path, "w:gz") as tar:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            tar.addfile(entry, io.BytesIO(content))
    return path


def own_logs(agent: Agent) -> dict[str, str]:
    """The query with which a host uploads its logs."""
    return {"logs_type": "host", "infra_env_id": agent.path["infra_env_id"], "host_id": agent.id}


async def test_logs_of_a_host_come_back_without_secrets(
    agent: Agent, service: Service, user: Client, tmp_path: Path
) -> None:
    """Every secret that node0 was given, and the host's own token, is gone; the rest is as it was."""
    files = service.site.files
    secrets = [path.read_bytes() for path in files.at(host_paths.NODE0_DIRECTORY).iterdir() if path.suffix != ".crt"]
    secrets += [files.read(host_paths.AGENT_TOKEN_FILE).encode(), agent.token.encode()]
    journal = b"started\n" + b"\n".join(secrets) + b"\nended\n"
    uploaded = archive(tmp_path / "logs.tar.gz", {"journal.log": journal, "../../etc/passwd": b"x\n"})
    cluster_id = service.site.intent.cluster_id
    await agent.client.call(
        operations.UPDATE_LOGS_PROGRESS, requests.LogsProgress(logs_state=LogsState.REQUESTED), **agent.path
    )
    query = own_logs(agent)
    await agent.client.upload(operations.UPLOAD_LOGS, uploaded, query=query, cluster_id=cluster_id)

    query = {"logs_type": "host", "host_id": agent.id}
    downloaded = await user.download(operations.DOWNLOAD_LOGS, query=query, cluster_id=cluster_id)
    with tarfile.open(fileobj=io.BytesIO(downloaded)) as tar:
        assert tar.getnames() == ["journal.log", "etc/passwd"]
        clean = tar.extractfile("journal.log")
        assert clean is not None
        text = clean.read()
    lines = [line for secret in secrets for line in secret.splitlines() if len(line) > 16]
    assert len(lines) >= 8
    assert not [line for line in lines if line in text]
    assert text.startswith(b"started\n")
    assert text.endswith(b"ended\n")
    assert b"removed" in text
    host = await user.call(operations.GET_HOST, **agent.path)
    assert (host.logs_info, host.logs_started_at != UNSET_TIME) == (LogsState.COMPLETED, True)
    assert host.logs_collected_at != UNSET_TIME


async def test_all_logs_are_one_archive(agent: Agent, service: Service, user: Client, tmp_path: Path) -> None:
    cluster_id = service.site.intent.cluster_id
    uploaded = archive(tmp_path / "logs.tar.gz", {"a.log": b"a\n"})
    await user.upload(operations.UPLOAD_LOGS, uploaded, query={"logs_type": "controller"}, cluster_id=cluster_id)
    await agent.client.upload(operations.UPLOAD_LOGS, uploaded, query=own_logs(agent), cluster_id=cluster_id)
    bundle = await user.download(operations.DOWNLOAD_LOGS, cluster_id=cluster_id)
    with tarfile.open(fileobj=io.BytesIO(bundle)) as tar:
        assert sorted(tar.getnames()) == sorted([f"logs_{agent.id}.tar.gz", "logs_controller.tar.gz"])


async def test_an_upload_that_is_no_archive_is_refused(agent: Agent, service: Service, tmp_path: Path) -> None:
    path = tmp_path / "upload"
    for content, status in ((b"no archive", 400), (b"\x1f\x8b broken", 400), (b"\x00" * (65 * 2**20), 413)):
        path.write_bytes(content)
        with pytest.raises(Refused) as refused:
            await agent.client.upload(
                operations.UPLOAD_LOGS, path, query=own_logs(agent), cluster_id=service.site.intent.cluster_id
            )
        assert refused.value.status == status
    assert service.site.files.names("/var/lib/cluster0/logs") == ()


async def test_a_host_uploads_no_others_logs(agent: Agent, service: Service, tmp_path: Path) -> None:
    uploaded = archive(tmp_path / "logs.tar.gz", {"a.log": b"a\n"})
    cluster_id = service.site.intent.cluster_id
    for query in ({"logs_type": "controller"}, {**own_logs(agent), "host_id": cluster_id}):
        with pytest.raises(Refused) as refused:
            await agent.client.upload(operations.UPLOAD_LOGS, uploaded, query=query, cluster_id=cluster_id)
        assert refused.value.status == 403
