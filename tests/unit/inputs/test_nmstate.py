"""NetworkManager's connections made from NMState: the documents of tests/data/nmstate as golden files."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from agent.model.network import Bond, NetworkModel
from agent.network import dbus_settings, keyfiles
from agent.network.connections import Connection, connections
from tests.fakes.inputs.conformance_networks import DOCUMENTS, model_of
from tests.fakes.inputs.intents import CLUSTER_ID

Golden = Callable[[str, str], None]

NAMES = {"eno1": "enp1s0", "eno2": "enp2s0", "second": "enp2s0", "nic": "enp1s0", "eth0": "enp1s0", "eth1": "enp2s0"}


def connections_of(model: NetworkModel) -> tuple[Connection, ...]:
    return connections(model, cluster_id=CLUSTER_ID, hostname="host1", names=NAMES)


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.stem)
def test_nmstate_documents_of_a_network_are_golden(path: Path, tmp_path: Path, golden: Golden) -> None:
    made = connections_of(model_of(tmp_path, path.read_text()))
    for name, content in keyfiles.render(made).items():
        golden(f"keyfiles/{path.stem}/{name}", content)
    over_dbus = {connection.name: dbus_settings.settings(connection) for connection in made}
    golden(f"dbus-settings/{path.stem}.json", json.dumps(over_dbus, indent=1, default=bytes.hex) + "\n")


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.stem)
def test_nmstate_documents_use_only_key_names_of_the_oldest_release(path: Path, tmp_path: Path) -> None:
    """NetworkManager 1.42 ignores the new ones: the ports would come up on their own."""
    text = "".join(keyfiles.render(connections_of(model_of(tmp_path, path.read_text()))).values())
    keys = {line.partition("=")[0] for line in text.splitlines()}
    assert not keys & {"controller", "port-type", "autoconnect-ports"}


def test_a_bond_takes_its_first_ports_mac_whatever_udev_thinks(tmp_path: Path) -> None:
    document = next(path for path in DOCUMENTS if path.stem == "bond-vlan").read_text()
    (bond,) = (each for each in model_of(tmp_path, document).interfaces if isinstance(each, Bond))
    assert (bond.mac, [port.name for port in bond.ports]) == ("52:54:00:00:00:01", ["eno1", "eno2"])
