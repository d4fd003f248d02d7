"""A control plane enters a real etcd: as a learner, so that the quorum never waits for it, and as a voter once it runs.

kubeadm is a script: it brings the keys that the real one made, and the test's own etcd is what its kubelet would start.
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from agent.api.join import JoinCredential
from agent.api.operations import MINT_JOIN_CREDENTIAL, Operation
from agent.etcd.client import Etcd, EtcdRefused, EtcdUnreachable, Member, connect
from agent.etcd.leadership import hand_over
from agent.etcd.membership import become_voter, enter, votes
from agent.kubeadm import join as joining
from agent.kubeadm import join_control_plane as control_plane
from agent.kubeadm import static_pod_patches
from agent.kubeadm.leftovers import ETCD, WRITTEN
from agent.kubeadm.static_pods import HELD_BACK, MANIFESTS
from agent.machine import Clock, Machine
from agent.model.host_documents import ImagePayload, Installed
from agent.model.host_paths import RELEASE_FILE
from agent.model.states import InstallRole
from tests.fakes.agent.machine import Programs, machine_in
from tests.fakes.kubernetes.native_control_plane import (
    ControlPlane,
    EtcdMember,
    NativePayload,
    cached_payload,
    certificates,
)
from tests.fakes.kubernetes.payload import PAYLOAD

pytestmark = pytest.mark.integration

TIMEOUT = 60
INSTALLED = Installed(cluster_id="c", infra_env_id="e", host_id="h", role=InstallRole.MASTER, boot_device="/dev/vda")
PATCHES = f"--experimental-patches={static_pod_patches.DIRECTORY}"
CONTROL_PLANE = ("kube-apiserver.yaml", "kube-controller-manager.yaml", "kube-scheduler.yaml")
# Its first try to become a node fails, {when}.
KUBEADM = """
cd {root}/etc/kubernetes
case "$*" in
    *"phase control-plane-prepare"*)
        cp -r {pki}/. pki
        mkdir manifests
        touch manifests/kube-apiserver.yaml manifests/kube-controller-manager.yaml manifests/kube-scheduler.yaml ;;
    *"phase control-plane-join etcd"*)
        touch manifests/etcd.yaml ;;
    *)
        touch kubelet.conf
        test -e {mark} && exit 0
        touch {mark}
        {when}
        echo 'error execution phase mark-control-plane' >&2
        exit 1 ;;
esac
"""
AT_ONCE = "true"
WHEN_ETCD_VOTES = "until test -e manifests/kube-apiserver.yaml; do sleep 0.1; done"


@dataclass(frozen=True)
class Site:
    """`first` runs; `second` is the host that comes."""

    payload: NativePayload
    keys: ControlPlane
    first: EtcdMember
    second: EtcdMember
    etcd: Etcd

    async def member(self) -> Member:
        """The one that came."""
        return next(each for each in await self.etcd.members() if self.second.peer_url in each.peer_urls)

    async def it_has_a_name(self) -> bool:
        return (await self.member()).name != ""


async def answers(etcd: Etcd) -> bool:
    try:
        return await votes(etcd, "node0")
    except EtcdUnreachable:
        return False


async def until(condition: Callable[[], Awaitable[bool]]) -> None:
    """etcd does not announce that a member has started."""
    async with asyncio.timeout(TIMEOUT):
        while True:
            if await condition():
                return
            await asyncio.sleep(0.2)


@pytest.fixture
async def site(tmp_path: Path) -> AsyncIterator[Site]:
    payload = cached_payload()
    keys = await certificates(tmp_path, payload)
    first, second = EtcdMember.make("node0"), EtcdMember.make("node1")
    client = connect(first.endpoint, tmp_path / "pki/etcd")
    async with first.running(keys, payload), client as etcd:
        await until(lambda: answers(etcd))
        yield Site(payload, keys, first, second, etcd)


async def test_an_etcd_member_that_never_starts_does_not_break_the_quorum(site: Site) -> None:
    assert await enter(site.etcd, site.second.peer_url, Clock(), has_data=False)
    assert not await enter(site.etcd, site.second.peer_url, Clock(), has_data=False)
    assert (await site.member()).is_learner
    # Only a quorum can do this: with a voter that does not run there is none.
    await site.etcd.remove(await site.member())
    assert [member.name for member in await site.etcd.members()] == ["node0"]


async def test_a_learner_of_a_host_that_has_failed_makes_room(site: Site) -> None:
    """etcd takes one learner at a time."""
    dead = EtcdMember.make("node2")
    await enter(site.etcd, dead.peer_url, Clock(), has_data=False)
    assert await enter(site.etcd, site.second.peer_url, Clock(), has_data=False)
    assert [member.peer_urls for member in await site.etcd.members() if member.is_learner] == [(site.second.peer_url,)]


async def test_an_etcd_learner_votes_once_it_is_in_sync(site: Site) -> None:
    await enter(site.etcd, site.second.peer_url, Clock(), has_data=False)
    promotion = asyncio.create_task(become_voter(site.etcd, site.second.peer_url, Clock()))
    async with site.second.running(site.keys, site.payload, site.first), asyncio.timeout(TIMEOUT):
        await promotion
        assert await votes(site.etcd, "node1")
        await become_voter(site.etcd, site.second.peer_url, Clock())


async def test_an_etcd_leader_that_is_to_stop_lets_another_voter_lead(site: Site) -> None:
    await enter(site.etcd, site.second.peer_url, Clock(), has_data=False)
    pki = site.keys.directory / "pki/etcd"
    async with site.second.running(site.keys, site.payload, site.first), asyncio.timeout(TIMEOUT):
        await hand_over(site.etcd)
        assert await site.etcd.led_by_itself()  # a learner cannot lead
        await become_voter(site.etcd, site.second.peer_url, Clock())
        await hand_over(site.etcd)
        assert not await site.etcd.led_by_itself()
        async with connect(site.second.endpoint, pki) as second:
            assert await second.led_by_itself() == (await site.member()).id
        await hand_over(site.etcd)  # which does not lead any more


async def test_an_etcd_that_refuses_a_member_until_another_has_been_connected_for_a_while_is_asked_again(
    site: Site,
) -> None:
    third = EtcdMember.make("node2")
    await enter(site.etcd, site.second.peer_url, Clock(), has_data=False)
    async with site.second.running(site.keys, site.payload, site.first), asyncio.timeout(TIMEOUT):
        await become_voter(site.etcd, site.second.peer_url, Clock())
        with pytest.raises(EtcdRefused, match="unhealthy cluster"):
            await site.etcd.add_learner(third.peer_url)
        assert await enter(site.etcd, third.peer_url, Clock(), has_data=False)


async def test_an_etcd_learner_that_is_queried_directly_does_not_vote(site: Site) -> None:
    """As a join that has failed asks this host's own etcd, which refuses to list its members."""
    await enter(site.etcd, site.second.peer_url, Clock(), has_data=False)
    pki = site.keys.directory / "pki/etcd"
    async with site.second.running(site.keys, site.payload, site.first), connect(site.second.endpoint, pki) as own:
        await until(lambda: refuses_to_list(own))
        assert not await votes(own, "node1")


async def refuses_to_list(etcd: Etcd) -> bool:
    try:
        await etcd.members()
    except EtcdUnreachable:
        return False
    except EtcdRefused:
        return True
    return False


async def test_the_etcd_member_of_a_lost_disk_is_removed_first(site: Site) -> None:
    await enter(site.etcd, site.second.peer_url, Clock(), has_data=False)
    async with site.second.running(site.keys, site.payload, site.first):
        await until(site.it_has_a_name)
    before = await site.member()
    await enter(site.etcd, site.second.peer_url, Clock(), has_data=True)
    assert await site.member() == before
    shutil.rmtree(site.second.data(site.keys))
    await asyncio.sleep(1)  # an id is made of the peer URL and the second, and never used again
    await enter(site.etcd, site.second.peer_url, Clock(), has_data=False)
    after = await site.member()
    assert (after.id != before.id, after.name, after.is_learner) == (True, "", True)


async def test_an_etcd_that_does_not_answer_is_a_problem(site: Site) -> None:
    async with connect(site.second.endpoint, site.keys.directory / "pki/etcd") as etcd:
        with pytest.raises(EtcdUnreachable, match="No answer from etcd"):
            await etcd.members()
    with pytest.raises(EtcdUnreachable, match="keys for etcd"):
        async with connect(site.second.endpoint, site.keys.directory / "nowhere"):
            pass


class Node0:
    """Hands out credentials for the second member, and its turn."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self.asked: list[str] = []

    async def call(self, operation: Operation[Any, Any], **_path: object) -> JoinCredential | None:
        self.asked.append(operation.operation_id)
        if operation is not MINT_JOIN_CREDENTIAL:
            return None
        return JoinCredential(
            api_endpoint="127.0.0.1:6443",
            ca_certificate="-----BEGIN CERTIFICATE-----",
            token="abcdef.0123456789abcdef",
            expires_at="2026-05-01T12:00:00+00:00",
            node_name="node1",
            address="127.0.0.1",
            control_plane_files={"ca.key": "the key"},
            etcd_endpoint=self._site.first.endpoint,
        )


def host_machine(site: Site, fails: str) -> Machine:
    directory = site.keys.directory / "host"
    machine, programs = machine_in(directory, hostname="node1"), Programs(directory / "bin")
    programs.add("systemctl")
    places = {"pki": site.keys.directory / "pki", "root": machine.files.root, "mark": directory / "failed-once"}
    programs.add("kubeadm", KUBEADM.format(when=fails, **places))
    programs.add("sync")
    for path in (*WRITTEN, ETCD, "/var/lib/cluster0"):
        machine.files.at(path).mkdir(parents=True)
    machine.files.write("/proc/self/mountinfo", "22 1 8:1 / / rw - ext4 /dev/vda rw\n")
    machine.files.save(RELEASE_FILE, ImagePayload(payload=PAYLOAD))
    return machine


PREPARE = f"kubeadm join phase control-plane-prepare all --config={control_plane.CONFIG_FILE} {PATCHES}"
ENTER = f"kubeadm join phase control-plane-join etcd --config={control_plane.ETCD_CONFIG_FILE} {PATCHES}"
SKIPPED = ",".join((*control_plane.BEFORE, control_plane.ENTER))
BECOME_NODE = f"kubeadm join --config={control_plane.CONFIG_FILE} --skip-phases={SKIPPED} {PATCHES}"
CONTINUE = BECOME_NODE.replace(SKIPPED, f"{SKIPPED},{control_plane.KUBELET}")


@pytest.mark.parametrize(
    ("fails", "continues"), [(AT_ONCE, BECOME_NODE), (WHEN_ETCD_VOTES, CONTINUE)], ids=["before the vote", "after it"]
)
async def test_a_join_of_a_control_plane_that_fails_continues_and_stops_no_voter(
    site: Site, monkeypatch: pytest.MonkeyPatch, fails: str, continues: str
) -> None:
    monkeypatch.setattr(control_plane, "ETCD_PEER_PORT", site.second.peer_port)
    monkeypatch.setattr(control_plane, "ETCD_PORT", site.second.client_port)
    machine, said = host_machine(site, fails), []
    node0: Any = Node0(site)

    async def say(words: str) -> None:
        is_learner = await entered(site) and (await site.member()).is_learner
        said.append((words, is_learner, machine.files.names(MANIFESTS)))

    join = asyncio.create_task(joining.join(machine, INSTALLED, node0, say))
    async with asyncio.timeout(TIMEOUT):
        await until(lambda: entered(site))
        async with site.second.running(site.keys, site.payload, site.first):
            await join
            assert ("waiting for etcd to be in sync", True, ("etcd.yaml",)) in said
            assert not (await site.member()).is_learner
            assert machine.files.names(MANIFESTS) == ("etcd.yaml", *CONTROL_PLANE)
            assert f"node1={site.second.peer_url}" in machine.files.read(
                f"{static_pod_patches.DIRECTORY}/etcd-name+json.json"
            )
            # The power goes after etcd's vote, while the last of the three is released.
            machine.files.at(joining.DONE_FILE).unlink()
            machine.files.at(f"{MANIFESTS}/{CONTROL_PLANE[-1]}").rename(
                machine.files.at(f"{HELD_BACK}/{CONTROL_PLANE[-1]}")
            )
            await joining.join(machine, INSTALLED, node0, say)
            assert machine.files.names(MANIFESTS) == ("etcd.yaml", *CONTROL_PLANE)
    calls = Programs(site.keys.directory / "host/bin").calls
    assert [call for call in calls if call.startswith("kubeadm")] in (
        # The two halves run beside each other.
        [PREPARE, BECOME_NODE, continues, ENTER, CONTINUE],
        [PREPARE, BECOME_NODE, ENTER, continues, CONTINUE],
    )
    assert "systemctl stop kubelet.service" not in calls
    assert node0.asked[-2:] == ["c0MintJoinCredential", "c0ReportEtcdVote"]


async def entered(site: Site) -> bool:
    return len(await site.etcd.members()) == 2
