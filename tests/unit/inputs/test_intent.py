"""From the inputs to the intent: roles, names and network models."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import msgspec
import pytest

from agent.model.intent import ClusterIntent, HostIntent, Role
from agent.model.network import Dns, IpConfig, IpMethod, Route
from inputs.cluster_intent import cluster_intent, roles
from inputs.load import Inputs
from tests.unit.inputs.conftest import LoadEdited

WHEN = "2026-01-02T03:04:05Z"


def intent_of(inputs: Inputs) -> ClusterIntent:
    return cluster_intent(inputs, cluster_id="cluster", infra_env_id="infra-env", created_at=WHEN)


def only_host(inputs: Inputs) -> HostIntent:
    (host,) = intent_of(inputs).hosts
    return host


def test_the_intent_of_the_sample_is_golden(load_edited: LoadEdited, golden: Callable[[str, str], None]) -> None:
    document = msgspec.json.format(msgspec.json.encode(intent_of(load_edited().valid_inputs())), indent=2)
    golden("intent/sno.json", document.decode() + "\n")


def test_an_intent_reads_back_from_json(load_edited: LoadEdited) -> None:
    intent = intent_of(load_edited().valid_inputs())
    assert msgspec.json.decode(msgspec.json.encode(intent), type=ClusterIntent) == intent


def test_networks_have_upstreams_defaults(load_edited: LoadEdited) -> None:
    pods = "    - cidr: 10.128.0.0/14\n      hostPrefix: 23\n"
    services = "    - 172.30.0.0/16\n"
    edits = {"  clusterNetwork:": "#", pods: "", "  serviceNetwork:": "#", services: ""}
    intent = intent_of(load_edited(install=edits).valid_inputs())
    assert [(network.cidr, network.host_prefix) for network in intent.cluster_networks] == [("10.128.0.0/14", 23)]
    assert intent.service_networks == ("172.30.0.0/16",)


def test_without_compute_the_intent_has_no_workers(load_edited: LoadEdited) -> None:
    compute = "compute:\n  - replicas: 0                   # further hosts\n"
    assert intent_of(load_edited(install={compute: ""}).valid_inputs()).worker_replicas == 0


def test_the_network_of_a_host_becomes_its_network_model(load_edited: LoadEdited) -> None:
    inputs = load_edited(
        agent={
            "type: ethernet": "type: ethernet\n          mtu: 9000",
            "destination: 0.0.0.0/0": "metric: 50\n            table-id: 7\n            destination: 0.0.0.0/0",
        }
    ).valid_inputs()
    network = only_host(inputs).network
    (nic,) = network.nics
    assert (nic.name, nic.mac, nic.mtu) == ("eth0", "52:54:00:00:00:01", 9000)
    assert nic.ipv4 == IpConfig(method=IpMethod.MANUAL, addresses=("192.0.2.10/24",))
    assert nic.ipv6.method is IpMethod.DISABLED
    assert network.routes == (
        Route(destination="0.0.0.0/0", gateway="192.0.2.1", interface="eth0", metric=50, table=7),
    )
    assert network.dns == Dns(servers=("192.0.2.1",))


def test_a_host_without_network_config_asks_the_network(load_edited: LoadEdited) -> None:
    inputs = load_edited().valid_inputs()
    host = inputs.agent.hosts[0].model_copy(update={"network_config": None})
    agent = inputs.agent.model_copy(update={"hosts": (host,)})
    (nic,) = only_host(Inputs(inputs.install, agent)).network.nics
    assert (nic.mac, nic.ipv4.method, nic.ipv6.method) == ("52:54:00:00:00:01", IpMethod.AUTO, IpMethod.AUTO)


def test_roles_are_decided_in_order(load_edited: LoadEdited) -> None:
    inputs = load_edited().valid_inputs()
    host = inputs.agent.hosts[0]
    other = host.model_copy(update={"network_config": None})
    plain, worker = other.model_copy(update={"role": ""}), other.model_copy(update={"role": "worker"})
    node0 = host.model_copy(update={"role": ""})
    agent = inputs.agent.model_copy(update={"hosts": (plain, worker, plain, node0)})
    assert roles(agent, 1) == (Role.WORKER, Role.WORKER, Role.WORKER, Role.MASTER)
    assert roles(agent, 2) == (Role.MASTER, Role.WORKER, Role.WORKER, Role.MASTER)


@pytest.mark.parametrize(
    ("policy", "minutes"),
    [
        ("missingWorkers: wait", None),
        ("missingWorkersMinutes: 5", None),
        ("missingWorkers: continue", 15),
        ("missingWorkers: continue\nmissingWorkersMinutes: 0", 0),
    ],
)
def test_the_wait_for_missing_workers_comes_from_the_inputs(
    load_edited: LoadEdited, policy: str, minutes: int | None
) -> None:
    kind = "kind: AgentConfig\n"
    assert intent_of(load_edited(agent={kind: f"{kind}{policy}\n"}).valid_inputs()).worker_wait_minutes == minutes


def test_hosts_without_a_name_are_named_by_role_and_number(load_edited: LoadEdited) -> None:
    inputs = load_edited(agent={"hostname: alpha\n    role": "role"}).valid_inputs()
    assert only_host(inputs).hostname == "master-0"


def test_a_taken_name_is_not_given_to_another_host(load_edited: LoadEdited) -> None:
    inputs = load_edited().valid_inputs()
    (host,) = inputs.agent.hosts
    renamed = (
        host.model_copy(update={"hostname": name, "role": "worker"}) for name in ("worker-1", "", "", "worker-3")
    )
    agent = inputs.agent.model_copy(update={"hosts": tuple(renamed)})
    names = [each.hostname for each in intent_of(replace(inputs, agent=agent)).hosts]
    assert names == ["worker-1", "worker-2", "worker-4", "worker-3"]
