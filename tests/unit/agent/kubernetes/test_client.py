"""The API server that the client connects to."""

from __future__ import annotations

import ssl

import pytest

from agent.kubernetes.client import Kubernetes


@pytest.mark.parametrize(
    ("address", "server"), [("192.0.2.11", "https://192.0.2.11:6443"), ("fd00::b", "https://[fd00::b]:6443")]
)
def test_the_client_of_a_control_plane_calls_its_own_api_server(address: str, server: str) -> None:
    api = Kubernetes(server="https://api.demo.example.com:6443", tls=ssl.create_default_context())
    assert api.of_host(address).server == server
