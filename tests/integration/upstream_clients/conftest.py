"""A site with a kubeconfig, served over TLS and, for clients that cannot be given a CA, plain on loopback."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agent.model import host_paths
from replay.programs import Service, free_port
from replay.site import make_site
from tests.fakes.node0.programs import serving

KUBECONFIG = "apiVersion: v1\nkind: Config\n"


@pytest.fixture
def loopback_port() -> int:
    return free_port()


@pytest.fixture
async def service(tmp_path: Path, loopback_port: int) -> AsyncIterator[Service]:
    site = make_site(tmp_path / "machine")
    site.files.write(f"{host_paths.NODE0_DIRECTORY}/admin.conf", KUBECONFIG, mode=0o600)
    async with serving(site, "--loopback-port", str(loopback_port)) as service:
        yield service


@pytest.fixture
def plain_url(service: Service, loopback_port: int) -> str:
    return f"http://127.0.0.1:{loopback_port}"
