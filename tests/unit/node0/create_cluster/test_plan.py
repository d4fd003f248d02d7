"""The driver's plan: a pure function of the actual cluster and the intent."""

from __future__ import annotations

from typing import Any

from msgspec import structs

from agent.api.clusters import Vip
from agent.api.hosts import Host, HostUpdate
from agent.model.intent import ClusterIntent, Platform, Role, RootDeviceHints
from agent.model.states import ClusterStatus, HostStatus
from node0.create_cluster.actions import (
    Action,
    AddManifests,
    AwaitNodes,
    DecideHost,
    Finish,
    GiveUp,
    Installed,
    MarkNodes,
    RegisterCluster,
    RegisterInfraEnv,
    StartInstall,
    Wait,
)
from node0.create_cluster.actual import Actual
from node0.create_cluster.plan import plan
from node0.rest.views.clusters import cluster_view, infra_env_view
from node0.rest.views.hosts import host_view
from replay.site import MAC, host_intent, make_intent
from tests.fakes.agent.agent import inventory
from tests.fakes.node0.records import cluster, host, site

WORKER_MAC = "52:54:00:00:00:02"
INTENT = make_intent(hosts=(host_intent(),))
TWO = make_intent(hosts=(host_intent(), host_intent(name="node1", mac="52:54:00:00:00:02")))


def actual(*hosts: Host, status: ClusterStatus = ClusterStatus.INSUFFICIENT, info: str = "") -> Actual:
    records = site()
    assert records.infra_env is not None
    found = cluster_view(structs.replace(cluster(status), status_info=info), records)
    return Actual(cluster=found, infra_env=infra_env_view(records.infra_env), hosts=hosts)


def listed(id: str = "h", mac: str = MAC, **changes: Any) -> Host:
    return host_view(host(id=id, inventory=inventory(mac=mac), **changes), cluster())


def ready(id: str = "h", mac: str = MAC, suggested_role: Role = Role.MASTER) -> Host:
    return listed(id, mac, status=HostStatus.KNOWN, suggested_role=suggested_role)


def planned(actual: Actual, intent: ClusterIntent = INTENT, ready_for: float = 0.0) -> tuple[Action, ...]:
    return plan(actual, intent, kubernetes_version="v1.20.2", ready_for=ready_for)


def test_the_plan_registers_the_cluster_before_the_infra_env() -> None:
    (first,) = planned(Actual(cluster=None, infra_env=None, hosts=()))
    assert isinstance(first, RegisterCluster)
    assert first.body.id == INTENT.cluster_id
    assert first.body.high_availability_mode == "None"
    added, second = planned(Actual(cluster=actual().cluster, infra_env=None, hosts=()))
    assert isinstance(added, AddManifests)
    assert isinstance(second, RegisterInfraEnv)
    assert second.body.rendezvous_ip == INTENT.rendezvous_ip


def test_only_an_address_that_hosts_carry_is_registered_as_virtual() -> None:
    nothing = Actual(cluster=None, infra_env=None, hosts=())
    carried = structs.replace(INTENT, platform=Platform.BAREMETAL, api_address="127.0.0.9")
    (node0s_own,) = planned(nothing)
    (register,) = planned(nothing, carried)
    assert isinstance(register, RegisterCluster)
    assert register.body.api_vips == (Vip(ip="127.0.0.9"),)
    assert isinstance(node0s_own, RegisterCluster)
    assert node0s_own.body.api_vips == ()


def test_a_host_that_was_unbound_is_left_alone() -> None:
    (action,) = planned(actual(listed(approved=False, bound=False)))
    assert isinstance(action, Wait)
    assert "Host h is left out: it was unbound from the cluster." in action.why


def test_a_host_of_the_inputs_gets_its_role_name_and_disk_and_takes_part() -> None:
    (action,) = planned(actual(listed(approved=False)))
    assert action == DecideHost(
        "h",
        HostUpdate(
            host_role=Role.MASTER,
            host_name="node0",
            root_device_hints=RootDeviceHints(device_name="/dev/vda"),
            approved=True,
        ),
        "it is node0 by its MACs",
    )


def test_the_plan_waits_for_the_inventory_of_a_host() -> None:
    (action,) = planned(actual(host_view(host(approved=False, inventory=None), None)))
    assert isinstance(action, Wait)


def test_an_unmatched_host_is_left_out_and_named() -> None:
    (action,) = planned(actual(listed(id="unmatched", mac="52:54:00:ff:ff:ff", approved=False)))
    assert isinstance(action, Wait)
    assert "Host unmatched is left out: No host in agent-config.yaml lists a MAC" in action.why


def test_of_two_hosts_that_match_one_entry_the_first_has_it() -> None:
    (action,) = planned(actual(listed(id="first"), listed(id="second", approved=False)))
    assert isinstance(action, Wait)
    assert "second is left out" in action.why


def test_where_the_inputs_list_no_hosts_all_take_part() -> None:
    (action,) = planned(actual(listed(approved=False)), make_intent(hosts=()))
    assert isinstance(action, DecideHost)
    assert action.body == HostUpdate(approved=True)


def test_the_install_starts_when_the_cluster_and_every_host_are_ready() -> None:
    assert planned(actual(ready(), status=ClusterStatus.READY)) == (StartInstall(),)
    (action,) = planned(actual(ready(), status=ClusterStatus.READY), TWO)
    assert isinstance(action, Wait)
    assert "Not ready yet: node1." in action.why


def test_an_approved_unmatched_host_does_not_replace_a_host_of_the_inputs() -> None:
    unmatched = ready(id="unmatched", mac="52:54:00:ff:ff:ff")
    (action,) = planned(actual(ready(), unmatched, status=ClusterStatus.READY), TWO)
    assert isinstance(action, Wait)
    assert "Not ready yet: node1." in action.why
    assert "Host unmatched takes part because a client of the API approved it, but No host" in action.why
    second = ready(id="second", mac="52:54:00:00:00:02")
    assert planned(actual(ready(), second, unmatched, status=ClusterStatus.READY), TWO) == (StartInstall(),)


def test_without_a_list_of_hosts_every_role_is_counted() -> None:
    intent = structs.replace(make_intent(hosts=(), masters=1), worker_replicas=1)
    (action,) = planned(actual(ready(), ready(id="second"), status=ClusterStatus.READY), intent)
    assert isinstance(action, Wait)
    assert "Not ready yet: 1 of 1 workers." in action.why
    worker = ready(id="worker", suggested_role=Role.WORKER)
    assert planned(actual(ready(), worker, status=ClusterStatus.READY), intent) == (StartInstall(),)


def test_during_the_install_the_plan_has_no_action() -> None:
    (action,) = planned(actual(listed(), status=ClusterStatus.INSTALLING))
    assert isinstance(action, Wait)


def test_after_the_install_the_plan_waits_for_the_nodes() -> None:
    named: dict[str, Any] = {"requested_hostname": "Node1", "node_labels": {"rack": "a1"}}
    worker = listed(id="worker", suggested_role=Role.WORKER, status=HostStatus.INSTALLED, **named)
    first = listed(suggested_role=Role.MASTER, status=HostStatus.INSTALLED)
    hosts = (first, worker, listed(id="failed", status=HostStatus.ERROR))
    expected = {"node0": Installed(Role.MASTER), "node1": Installed(Role.WORKER, {"rack": "a1"})}
    assert planned(actual(*hosts, status=ClusterStatus.FINALIZING)) == (AwaitNodes(expected),)


def test_an_installed_cluster_and_a_failed_one_end_the_plan() -> None:
    installed = actual(listed(status=HostStatus.INSTALLED), status=ClusterStatus.INSTALLED)
    assert planned(installed) == (MarkNodes({}), Finish())
    (action,) = planned(actual(status=ClusterStatus.ERROR, info="node0: disk-too-small"))
    assert isinstance(action, GiveUp)
    assert action.problem.code == "install-failed"
    assert "node0: disk-too-small" in action.problem.title


def with_worker(wait: int | None) -> ClusterIntent:
    worker = structs.replace(host_intent(name="node1", mac=WORKER_MAC), role=Role.WORKER)
    return structs.replace(make_intent(hosts=(host_intent(), worker)), worker_wait_minutes=wait)


def master(**changes: Any) -> Host:
    return listed(suggested_role=Role.MASTER, **changes)


def worker(**changes: Any) -> Host:
    fields = {"role": Role.WORKER, "suggested_role": Role.WORKER, "requested_hostname": "node1"}
    return listed(id="worker", mac=WORKER_MAC, **(fields | changes))


def test_the_wait_for_a_missing_worker_is_as_long_as_the_inputs_say() -> None:
    ready = actual(master(), status=ClusterStatus.READY)
    (action,) = planned(ready, with_worker(wait=None), ready_for=1e6)
    assert isinstance(action, Wait)
    assert planned(ready, with_worker(wait=5), ready_for=270) == (Wait("Not ready yet: node1. ", seconds=30),)
    assert planned(ready, with_worker(wait=5), ready_for=300) == (StartInstall(without=("node1",)),)


def test_the_wait_for_workers_does_not_start_without_the_control_plane() -> None:
    only_the_worker = actual(worker(), status=ClusterStatus.INSUFFICIENT)
    (action,) = planned(only_the_worker, with_worker(wait=0), ready_for=1e6)
    assert isinstance(action, Wait)


def test_a_worker_that_is_not_ready_is_left_out_after_the_wait_and_approved_once_it_is() -> None:
    broken = actual(master(), worker(status=HostStatus.INSUFFICIENT))
    (action,) = planned(broken, with_worker(wait=5), ready_for=10)
    assert isinstance(action, Wait)
    (action,) = planned(broken, with_worker(wait=5), ready_for=300)
    assert isinstance(action, DecideHost)
    assert (action.host_id, action.body.approved) == ("worker", False)
    left_out = worker(status=HostStatus.INSUFFICIENT, approved=False)
    (action,) = planned(actual(master(), left_out, status=ClusterStatus.READY), with_worker(5), ready_for=300)
    assert action == StartInstall(without=("node1",))
    (action,) = planned(actual(master(), worker(approved=False)), with_worker(wait=5), ready_for=300)
    assert isinstance(action, DecideHost)
    assert action.body.approved is True


def test_a_late_worker_takes_part_is_marked_as_a_node_and_ends_the_waiting() -> None:
    installed = master(status=HostStatus.INSTALLED)
    waiting = planned(actual(installed, status=ClusterStatus.INSTALLED), with_worker(wait=5))
    assert waiting == (MarkNodes({}), Wait("The cluster is installed; node1 may still join."))
    late = worker(approved=False, late=True)
    for status in (ClusterStatus.INSTALLING, ClusterStatus.FINALIZING, ClusterStatus.INSTALLED):
        first = planned(actual(installed, late, status=status), with_worker(wait=5))[0]
        assert isinstance(first, DecideHost)
        assert first.body.approved is True
    done = actual(installed, worker(late=True, status=HostStatus.INSTALLED), status=ClusterStatus.INSTALLED)
    assert planned(done, with_worker(wait=5)) == (MarkNodes({"node1": Installed(Role.WORKER)}), Finish())
