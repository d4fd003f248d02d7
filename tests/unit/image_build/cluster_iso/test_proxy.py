"""containerd's proxy: in a drop-in that only root can read, with everything internal excluded."""

from __future__ import annotations

from image_build.cluster_iso.proxy import dropin, no_proxy
from inputs.schema.install_config import Proxy
from tests.fakes.inputs import intents

PROXY = Proxy.model_validate({"httpsProxy": "http://u:p%40ss@192.0.2.9:3128", "noProxy": "mirror.example.net"})


def test_without_a_proxy_no_proxy_file_is_written() -> None:
    assert dropin(Proxy.model_validate({"noProxy": "example.com"}), intents.intent()) == ""


def test_systemd_reads_the_password_as_it_was_written() -> None:
    lines = dropin(PROXY, intents.intent()).splitlines()
    assert lines[:2] == ["[Service]", 'Environment="HTTPS_PROXY=http://u:p%%40ss@192.0.2.9:3128"']
    assert len(lines) == 3


def test_internal_names_and_networks_bypass_the_proxy() -> None:
    excluded = no_proxy(PROXY, intents.intent())
    assert excluded[0] == "mirror.example.net"
    assert set(excluded) > {
        "localhost", "127.0.0.0/8", "::1", ".svc", ".cluster.local", ".demo.example.com", "10.128.0.0/14",
        "172.30.0.0/16", "192.168.122.0/24", "192.168.122.10", "api.demo.example.com", "api-int.demo.example.com",
    }  # fmt: skip


def test_addresses_that_only_the_inputs_have_are_excluded() -> None:
    assert "192.0.2.20" in no_proxy(PROXY, intents.intent(), ("192.0.2.20",))
