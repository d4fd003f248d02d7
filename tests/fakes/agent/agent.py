"""A host as node0 sees it: registers, sends an inventory, reports stages, over the real client and the real wire."""

from __future__ import annotations

import time
import uuid

import msgspec

from agent.api import operations
from agent.api.client import Client, pinned_tls
from agent.api.hosts import HostRegister, HostRegistration
from agent.api.operations import TokenRole
from agent.api.steps import InstallRequest, Progress, Step, StepReply, StepType
from agent.model.inventory import Boot, Cpu, Disk, Eligibility, Interface, Inventory, InventoryRoute, Memory
from agent.model.states import STAGES, InstallRole, Stage
from replay.answers import HostPath, good_answer
from replay.programs import Service
from replay.site import MAC, RENDEZVOUS

GIB = 2**30


def inventory(*, mac: str = MAC, address: str = RENDEZVOUS, hostname: str = "node0", disk_gb: int = 50) -> Inventory:
    """A machine that is good enough for a control plane."""
    return Inventory(
        hostname=hostname,
        cpu=Cpu(count=2, architecture="x86_64"),
        memory=Memory(physical_bytes=4 * GIB, usable_bytes=4 * GIB, physical_bytes_method="ghw"),
        disks=(
            Disk(
                id="/dev/disk/by-path/pci-0000:00:04.0",
                name="vda",
                path="/dev/vda",
                by_path="/dev/disk/by-path/pci-0000:00:04.0",
                size_bytes=disk_gb * 10**9,
                drive_type="HDD",
                installation_eligibility=Eligibility(eligible=True),
            ),
        ),
        interfaces=(Interface(name="eth0", mac_address=mac, ipv4_addresses=(f"{address}/8",), has_carrier=True),),
        routes=(InventoryRoute(interface="eth0", gateway="127.0.0.254", destination="0.0.0.0"),),
        boot=Boot(current_boot_mode="bios"),
    )


class Agent:
    """One host. Every method is a call or two on the wire."""

    def __init__(self, service: Service, machine: Inventory | None = None) -> None:
        self.service = service
        self.id = str(uuid.uuid4())
        self.inventory = machine or inventory()
        self.token = service.site.token(TokenRole.AGENT)
        self.client = self._client(self.token)

    @property
    def path(self) -> HostPath:
        return HostPath(infra_env_id=self.service.site.intent.infra_env_id, host_id=self.id)

    def _client(self, token: str) -> Client:
        return Client(url=self.service.url, tls=pinned_tls(self.service.site.ca), token=token)

    async def register(self, *, boot_id: str = "") -> HostRegistration:
        """Register; later calls go with the token that came back."""
        body = HostRegister(host_id=self.id, boot_id=boot_id)
        async with self._client(self.service.site.token(TokenRole.AGENT)) as client:
            registration = await client.call(operations.REGISTER_HOST, body, infra_env_id=self.path["infra_env_id"])
        self.token = registration.token
        self.client.use_token(self.token)
        return registration

    async def steps(self, *, wait: int = 0, timestamp: int | None = None) -> tuple[Step, ...]:
        now = int(time.time()) if timestamp is None else timestamp
        query = {"timestamp": now, "wait": wait}
        return (await self.client.call(operations.GET_INSTRUCTIONS, query=query, timeout=90, **self.path)).instructions

    async def reply(self, step: Step, output: object = None, *, exit_code: int = 0, error: str = "") -> None:
        body = StepReply(
            step_type=step.step_type,
            step_id=step.step_id,
            exit_code=exit_code,
            output=msgspec.json.encode(output).decode(),
            error=error,
        )
        await self.client.call(operations.POST_STEP_REPLY, body, **self.path)

    async def reach(self, stage: Stage, info: str = "") -> None:
        progress = Progress(current_stage=stage, progress_info=info)
        await self.client.call(operations.UPDATE_PROGRESS, progress, **self.path)

    async def send_inventory(self) -> None:
        """Answer the inventory step that a fresh host is given."""
        (step,) = [step for step in await self.steps(wait=5) if step.step_type == StepType.INVENTORY]
        await self.reply(step, self.inventory)

    async def answer(self, step: Step) -> None:
        """As a host does with which all is well. What nothing is known of is answered with nothing found."""
        await self.reply(step, good_answer(step, self.inventory))

    async def wait_for_install(self) -> InstallRequest:
        """Follow instructions until the install step comes."""
        while True:
            for step in await self.steps(wait=30):
                if step.step_type == StepType.INSTALL:
                    return msgspec.json.decode(step.args[0], type=InstallRequest)
                await self.answer(step)

    async def install(self, role: InstallRole = InstallRole.BOOTSTRAP) -> None:
        """Report every stage of the role to the end."""
        for stage in STAGES[role]:
            await self.reach(stage)
