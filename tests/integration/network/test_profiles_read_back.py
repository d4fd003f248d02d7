"""What we write is what NetworkManager reads: its own copy of every profile, asked over D-Bus, has all that we meant.

NetworkManager skips in silence a file that it does not like, and a key that it does not know.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as limits

from agent.network import dbus_settings, keyfiles
from agent.network.connections import Connection, connections
from tests.fakes.inputs.conformance_networks import DOCUMENTS, model_of
from tests.fakes.inputs.generated_networks import documents
from tests.fakes.inputs.intents import CLUSTER_ID
from tests.fakes.network.network_host import BOTH_ROOTS, NetworkHost, network_host

pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(os.geteuid() != 0, reason="namespaces need root"),
    BOTH_ROOTS,
]

Read = Callable[[Sequence[Connection]], Mapping[str, Mapping[str, Mapping[str, Any]] | None]]

# What NetworkManager does not hand out, because it is what it would do anyway.
DEFAULTS = {
    "bridge": {"stp": True, "priority": 32768, "forward-delay": 15, "hello-time": 2, "max-age": 20, "ageing-time": 300},
    "bridge-port": {"priority": 32, "path-cost": 100, "hairpin-mode": False},
}
# What NetworkManager 1.42, that of Debian 12, does not know; the live image has a newer one.
NOT_IN_DEBIAN_12 = {"bond-port": {"prio"}}


@pytest.fixture
def read(root: Path) -> Iterator[Read]:
    """`read(connections)`: by UUID what NetworkManager makes of their keyfiles; None where it refuses one."""
    with network_host(root) as host, host.network_manager():
        host.at(keyfiles.DIRECTORY).mkdir(parents=True)
        with host.answering_process(host.python, "-m", "tests.fakes.network.profile_reader") as ask:

            def through_networkmanager(made: Sequence[Connection]) -> Any:
                meant = {connection.uuid: dbus_settings.settings(connection) for connection in made}
                return json.loads(ask(json.dumps({"paths": _write(host, made), "meant": meant}, default=list)))

            yield through_networkmanager


def _write(host: NetworkHost, made: Sequence[Connection]) -> list[str]:
    """Without activation: what is read is the point."""
    contents = {f"{keyfiles.DIRECTORY}/{name}": content for name, content in keyfiles.render(made).items()}
    for path, content in contents.items():
        host.at(path).write_text(content.replace("[connection]\n", "[connection]\nautoconnect=false\n"))
        host.at(path).chmod(0o600)
    return list(contents)


def assert_read_back(read: Read, document: str, directory: Path) -> None:
    model = model_of(directory, document)
    made = connections(model, cluster_id=CLUSTER_ID, hostname="host1", names={})
    answer = read(made)
    for connection in made:
        got = answer[connection.uuid]
        assert got is not None, f"refused:\n{keyfiles.render([connection])}"
        for section, settings in dbus_settings.settings(connection).items():
            differ = {k: _plain(v) for k, v in settings.items() if got.get(section, {}).get(k) != _plain(v)}
            lost = {key: value for key, value in differ.items() if key not in got.get(section, {})}
            assert differ == lost, f"[{section}] of {connection.name}: {got.get(section)}"
            defaults, unknown = DEFAULTS.get(section, {}), NOT_IN_DEBIAN_12.get(section, set())
            fine = lost.items() <= defaults.items() or lost.keys() <= unknown
            assert fine, f"[{section}] of {connection.name} lost {lost}"


def _plain(value: Any) -> Any:
    """Values without signatures, bytes as lists: what JSON makes of the other side."""
    if isinstance(value, tuple):
        return _plain(value[1])
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list | bytes) else value


def test_networkmanager_reads_back_the_profiles_of_each_document(read: Read, tmp_path: Path) -> None:
    for path in DOCUMENTS:
        assert_read_back(read, path.read_text(), tmp_path)


@limits(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(document=documents())
def test_networkmanager_reads_back_the_profiles_of_any_accepted_network(document: str, read: Read) -> None:
    with tempfile.TemporaryDirectory() as directory:
        assert_read_back(read, document, Path(directory))
