"""NMState documents for a live change, before libnmstate applies them."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent.model.problems import Problem
from agent.network.nmstate import read


def written(directory: Path, text: str) -> Path:
    path = directory / "change.yaml"
    path.write_text(text)
    return path


def test_a_mac_address_of_digits_is_no_number(tmp_path: Path) -> None:
    document = read(written(tmp_path, "interfaces: [{name: bond0, mac-address: 52:54:00:00:00:01, mtu: 1400}]"))
    assert document == {"interfaces": [{"name": "bond0", "mac-address": "52:54:00:00:00:01", "mtu": 1400}]}


def test_nmstate_keys_that_libnmstate_ignores_are_refused(tmp_path: Path) -> None:
    text = """
interfaces:
- name: eth0
  identifier: mac-address
  ipv4: {enabled: true, addr: []}
- name: bond0
  link-aggregation: {mode: 802.3ad, options: {lacp_rate: fast}, ports-config: [{name: eth0}]}
  ethtool: {feature: {rx-gro: true}}
"""
    with pytest.raises(Problem) as raised:
        read(written(tmp_path, text))
    assert raised.value.code == "network-document-invalid"
    unknown = ("interfaces.identifier", "interfaces.ipv4.addr", "interfaces.link-aggregation.ports-config")
    assert raised.value.detail == f"libnmstate does not know {', '.join(unknown)}."


@pytest.mark.parametrize("text", ["interfaces: [", "- eth0", "", "a: b"])
def test_a_document_that_is_no_nmstate_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(Problem, match=r"change\.yaml is not a document in NMState"):
        read(written(tmp_path, text))


def test_a_missing_nmstate_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(Problem) as raised:
        read(tmp_path / "nothing.yaml")
    assert "nothing.yaml" in raised.value.detail
