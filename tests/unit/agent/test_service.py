"""The resident agent against a service on loopback, over TLS with a pinned CA."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path

import msgspec
import pytest

from agent.api.intent import ClusterIntent, HostIntent
from agent.api.inventory import Inventory
from agent.api.local import (
    AGENT_TOKEN_FILE,
    CA_FILE,
    INSTALLED_FILE,
    INSTALLED_TOKEN_FILE,
    INTENT_FILE,
    LIVE_TOKEN_FILE,
    NODE0_DONE_FILE,
    STATUS_FILE,
    AgentStatus,
    Installed,
    Phase,
)
from agent.api.problems import Problem
from agent.api.states import InstallRole, Stage
from agent.api.steps import InstallRequest, Step, StepType
from agent.inventory.host_id import read_host_id
from agent.kubeadm.kinds import KUBELET_KUBECONFIG
from agent.machine import Address, Link, Machine
from agent.machine.kernel import BOOT_ID
from agent.rendezvous import expected_node0
from agent.service import SETTLED_FILE, serve
from tests.fakes.intents import CLUSTER_ID, INFRA_ENV_ID, host, host_by_dhcp, intent, mac
from tests.fakes.machine import Programs, ScriptedKernel, ScriptedNetlink, ScriptedPackets, add_nic, machine_in
from tests.fakes.scripted_service import HOST_TOKEN, ScriptedService
from tests.fakes.tls import LoopbackTls, make_loopback_tls

INVENTORY = Step(step_type=StepType.INVENTORY, step_id="inventory-12345678", args=("host",))
INSTALL = Step(
    step_type=StepType.INSTALL,
    step_id="install-12345678",
    args=(
        msgspec.json.encode(
            InstallRequest(
                cluster_id=CLUSTER_ID,
                infra_env_id=INFRA_ENV_ID,
                host_id="host",
                role=InstallRole.BOOTSTRAP,
                boot_device="/dev/no-such-disk",
            )
        ).decode(),
    ),
)
INSTALLED = Installed(
    cluster_id=CLUSTER_ID,
    infra_env_id=INFRA_ENV_ID,
    host_id="host",
    role=InstallRole.BOOTSTRAP,
    boot_device="/dev/vda",
)
ANSWER_SECONDS = 20
COLLECT_SECONDS = 90  # a hundred processes


@dataclass
class Lab:
    """One agent on one machine, and the service it looks for; both are started by the test."""

    machine: Machine
    node0: ScriptedService
    tasks: asyncio.TaskGroup
    programs: Programs

    def start_agent(self) -> None:
        self._agent = self.tasks.create_task(serve(self.machine, port=self.node0.port), name="agent")

    @property
    def status(self) -> AgentStatus:
        return self.machine.files.load(STATUS_FILE, AgentStatus) or AgentStatus(phase=Phase.UNCONFIGURED)

    async def until(self, condition: Callable[[], bool]) -> None:
        """For what shows in files that several writers replace."""
        async with asyncio.timeout(ANSWER_SECONDS):
            while not condition():  # noqa: ASYNC110
                await asyncio.sleep(0.01)

    def set_address(self, *addresses: str) -> None:
        """The host has these addresses, and no others, from now on."""
        assert isinstance(self.machine.kernel, ScriptedKernel)
        assert isinstance(self.machine.netlink, ScriptedNetlink)
        self.machine.kernel.addresses = set(addresses)
        self.machine.netlink.set_addresses(*(Address("eth0", f"{address}/8") for address in addresses))


@pytest.fixture
def tls(tmp_path: Path) -> LoopbackTls:
    return make_loopback_tls(tmp_path)


@pytest.fixture
async def lab(tmp_path: Path, tls: LoopbackTls, settled: None) -> AsyncIterator[Lab]:
    machine = machine_in(tmp_path, hostname="host1")
    machine.files.save(INTENT_FILE, intent(rendezvous_ip="127.0.0.1"))
    machine.files.write(CA_FILE, tls.ca.read_text())
    machine.files.write(AGENT_TOKEN_FILE, "token-of-agents\n", mode=0o600)
    add_nic(machine.files.root, "eth0", "52:54:00:00:00:01")
    programs = Programs(tmp_path / "bin")
    programs.add("systemctl")
    programs.add("chronyc")
    node0 = ScriptedService(tls)
    await node0.start()
    async with cancelled_at_the_end() as tasks:
        yield Lab(machine, node0, tasks, programs)
    await node0.stop()


@contextlib.asynccontextmanager
async def cancelled_at_the_end() -> AsyncIterator[asyncio.TaskGroup]:
    class End(Exception):
        pass

    try:
        async with asyncio.TaskGroup() as tasks:
            yield tasks
            raise End
    except* End:
        pass


async def test_registers_and_answers_a_step(lab: Lab) -> None:
    lab.start_agent()
    async with asyncio.timeout(ANSWER_SECONDS):
        registered = await lab.node0.registrations.get()
        lab.node0.give(INVENTORY)
        reply = await lab.node0.replies.get()
    assert registered.host_id == read_host_id(lab.machine)
    assert (reply.exit_code, reply.step_id) == (0, INVENTORY.step_id)
    assert msgspec.json.decode(reply.output, type=Inventory).hostname == "host1"
    assert lab.node0.tokens[0] == "token-of-agents"
    assert set(lab.node0.tokens[1:]) == {HOST_TOKEN}
    token = lab.machine.files.at(LIVE_TOKEN_FILE)
    assert (token.read_text(), token.stat().st_mode & 0o777) == (HOST_TOKEN, 0o600)
    await lab.until(lambda: lab.status.phase is Phase.REGISTERED)


async def test_polls_long_and_sends_its_time(lab: Lab) -> None:
    lab.start_agent()
    async with asyncio.timeout(ANSWER_SECONDS):
        query = await lab.node0.polls.get()
    assert query["wait"] == "60"
    assert abs(int(query["timestamp"]) - lab.machine.clock.now().timestamp()) < 60


async def test_waits_for_node0_and_says_so(lab: Lab) -> None:
    await lab.node0.stop()
    lab.start_agent()
    await lab.until(lambda: lab.status.detail.endswith("node0 is up; its service is starting, or has ended."))
    assert lab.status.phase is Phase.WAITING_FOR_NODE0
    await lab.node0.start()
    await lab.until(lambda: lab.status.phase is Phase.REGISTERED)


async def test_goes_on_after_node0_restarted(lab: Lab) -> None:
    lab.start_agent()
    async with asyncio.timeout(ANSWER_SECONDS):
        await lab.node0.polls.get()
        await lab.node0.stop()
        await lab.until(lambda: lab.status.phase is Phase.WAITING_FOR_NODE0)
        await lab.node0.start()
        lab.node0.give(INVENTORY)
        assert (await lab.node0.replies.get()).exit_code == 0
    assert lab.node0.registrations.qsize() == 1


@pytest.mark.parametrize("status", [401, 404])
async def test_registers_again_when_node0_has_forgotten_it(lab: Lab, status: int) -> None:
    lab.start_agent()
    async with asyncio.timeout(ANSWER_SECONDS):
        await lab.node0.registrations.get()
        await lab.node0.polls.get()
        lab.node0.refuse_with = status
        lab.node0.give()
        await lab.until(lambda: lab.status.phase is Phase.WAITING_FOR_NODE0)
        lab.node0.refuse_with = 0
        await lab.node0.registrations.get()


@pytest.mark.parametrize(("status", "is_problem"), [(401, True), (403, True), (409, True), (404, False), (503, False)])
async def test_asks_again_after_a_refusal(lab: Lab, status: int, is_problem: bool) -> None:
    lab.node0.refuse_with = status
    lab.start_agent()
    await lab.until(lambda: bool(lab.node0.tokens) and lab.status.detail != "")
    assert bool(lab.status.problems) is is_problem
    lab.node0.refuse_with = 0
    await lab.until(lambda: lab.status.phase is Phase.REGISTERED)
    assert not lab.status.problems


async def test_a_failed_install_is_told_shown_and_answered(lab: Lab) -> None:
    lab.start_agent()
    lab.node0.give(INSTALL)
    async with asyncio.timeout(ANSWER_SECONDS):
        stages = [await lab.node0.progress.get(), await lab.node0.progress.get()]
        reply = await lab.node0.replies.get()
    assert [progress.current_stage for progress in stages] == [Stage.STARTING_INSTALLATION, Stage.FAILED]
    (problem,) = lab.status.problems
    assert stages[1].progress_info == reply.error == str(Problem.from_report(problem))
    assert (reply.exit_code, lab.status.phase) == (1, Phase.FAILED)
    lab.node0.give()
    await lab.node0.polls.get()
    assert lab.status.phase is Phase.FAILED


async def test_leads_as_soon_as_the_rendezvous_address_comes(lab: Lab) -> None:
    lab.start_agent()
    async with asyncio.timeout(ANSWER_SECONDS):
        await lab.node0.polls.get()
    assert not lab.status.is_node0
    lab.set_address("127.0.0.1")
    await lab.until(lambda: "systemctl start --no-block cluster0-node0.target" in lab.programs.calls)
    await lab.until(lambda: lab.status.addresses == ("127.0.0.1",))
    assert lab.status.is_node0


async def test_leads_no_more_when_the_rendezvous_address_stays_away(lab: Lab) -> None:
    lab.set_address("127.0.0.1")
    lab.start_agent()
    await lab.until(lambda: lab.status.is_node0)
    lab.set_address()
    await lab.until(lambda: not lab.status.is_node0)
    await lab.until(lambda: "systemctl stop --no-block cluster0-node0.target" in lab.programs.calls)


async def test_ends_what_an_agent_before_it_has_led(lab: Lab) -> None:
    lab.start_agent()
    await lab.until(lambda: "systemctl stop --no-block cluster0-node0.target" in lab.programs.calls)


async def test_node0_gives_the_time_where_the_site_has_no_server(lab: Lab) -> None:
    lab.start_agent()
    await lab.until(lambda: "chronyc add server 127.0.0.1 iburst" in lab.programs.calls)
    lab.set_address("127.0.0.1")
    await lab.until(lambda: "chronyc allow 192.168.122.0/24" in lab.programs.calls)
    since = lab.programs.calls[lab.programs.calls.index("chronyc delete 127.0.0.1") :]
    assert since[1:2] == ["chronyc local stratum 10"]


async def test_the_sites_time_servers_are_enough(lab: Lab) -> None:
    given = msgspec.structs.replace(intent(rendezvous_ip="127.0.0.1"), ntp_sources=("192.0.2.123",))
    lab.machine.files.save(INTENT_FILE, given)
    lab.set_address("127.0.0.1")
    lab.start_agent()
    await lab.until(lambda: lab.status.phase is Phase.REGISTERED)
    assert not [call for call in lab.programs.calls if call.startswith("chronyc")]


async def test_another_host_with_the_rendezvous_address_is_shown_while_it_is_there(lab: Lab) -> None:
    assert isinstance(lab.machine.packets, ScriptedPackets)
    assert isinstance(lab.machine.netlink, ScriptedNetlink)
    lab.machine.netlink.set_links(Link("eth0", mac(1), "", 1500, "", 0))
    lab.set_address("127.0.0.1")
    lab.start_agent()
    lab.machine.packets.others = {mac(9)}
    await lab.until(lambda: bool(lab.status.conflicts))
    (conflict,) = lab.status.conflicts
    assert (conflict.code, mac(1) in conflict.title, mac(9) in conflict.title) == ("address-conflict", True, True)
    lab.machine.packets.others = set()
    await lab.until(lambda: not lab.status.conflicts)


@pytest.mark.parametrize(
    ("hosts", "expected"),
    [
        ((host(2), host(1), host_by_dhcp(3)), f"host1 ({mac(1)})"),
        ((host(2), host_by_dhcp(1)), f"host1 ({mac(1)}), by DHCP"),
        ((host_by_dhcp(1), host_by_dhcp(2)), f"host1 ({mac(1)}) or host2 ({mac(2)}), by DHCP"),
        (
            tuple(host_by_dhcp(number) for number in range(1, 6)),
            f"host1 ({mac(1)}) or host2 ({mac(2)}) or host3 ({mac(3)}) or one of 2 more, by DHCP",
        ),
        ((host(2),), "the host that gets this address by DHCP"),
    ],
)
def test_who_is_waited_for(hosts: tuple[HostIntent, ...], expected: str) -> None:
    assert expected_node0(intent(*hosts)) == expected


def test_who_is_waited_for_by_an_ipv6_address() -> None:
    """DHCP for IPv4 does not make a host a candidate."""
    assert (
        expected_node0(intent(host_by_dhcp(1), rendezvous_ip="2001:db8::1"))
        == "the host that gets this address by DHCP"
    )


async def test_does_not_lead_again_when_node0_is_done(lab: Lab) -> None:
    lab.machine.files.write(NODE0_DONE_FILE, "")
    lab.set_address("127.0.0.1")
    lab.start_agent()
    await lab.until(lambda: lab.status.is_node0)
    assert not [call for call in lab.programs.calls if call.startswith("systemctl")]


async def test_a_later_boot_of_a_host_that_is_done_tells_nobody(lab: Lab) -> None:
    files = lab.machine.files
    files.save(INSTALLED_FILE, INSTALLED)
    files.write(INSTALLED_TOKEN_FILE, HOST_TOKEN, mode=0o600)
    files.write(SETTLED_FILE, "")
    lab.start_agent()
    await lab.until(lambda: lab.status.phase is Phase.INSTALLED)
    assert not lab.node0.tokens


async def test_an_installed_host_that_fails_hands_in_its_logs(lab: Lab) -> None:
    """node0 gives it no instructions, so nobody asks for them."""
    files = lab.machine.files
    files.save(INSTALLED_FILE, INSTALLED)
    files.write(INSTALLED_TOKEN_FILE, HOST_TOKEN, mode=0o600)
    files.write(BOOT_ID, "1\n")
    files.write(KUBELET_KUBECONFIG, "clusters: []\n")
    lab.programs.add("timeout")  # what collect.sh runs its commands with
    lab.start_agent()
    handed_in = await asyncio.wait_for(lab.node0.logs.get(), COLLECT_SECONDS)
    assert handed_in == {"logs_type": "host", "infra_env_id": INFRA_ENV_ID, "host_id": "host"}
    assert lab.status.phase is Phase.FAILED
    assert [problem.code for problem in lab.status.problems] == ["kubeconfig-invalid"]


async def test_unconfigured_image_says_so_and_ends(tmp_path: Path) -> None:
    machine = machine_in(tmp_path)
    await serve(machine)
    status = machine.files.load(STATUS_FILE, AgentStatus)
    assert status is not None
    assert status.phase is Phase.UNCONFIGURED


def test_the_intent_of_these_tests_is_one() -> None:
    encoded = msgspec.json.encode(intent())
    assert msgspec.json.decode(encoded, type=ClusterIntent).infra_env_id == INFRA_ENV_ID
