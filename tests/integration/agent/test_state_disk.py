"""An installed host whose disk is full, or cannot be written, while it joins: it says so, and goes on by itself."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent.machine import Machine
from agent.model.host_documents import AgentPhase, AgentStatus
from agent.model.problems import Problem
from agent.service.state_disk import on_its_disk
from agent.status import StatusBoard
from tests.fakes.agent.machine import machine_in

pytestmark = pytest.mark.integration

SECONDS = 30
STATE = "/var/lib/cluster0"
BALLAST = f"{STATE}/ballast"


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    """Its state is on a file system of 256 KiB."""
    made = machine_in(tmp_path)
    state = made.files.at(STATE)
    state.mkdir(parents=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", state], check=True)
    yield made
    subprocess.run(["umount", state], check=True)


@pytest.fixture
def board(machine: Machine) -> StatusBoard:
    return StatusBoard(machine, AgentStatus(phase=AgentPhase.WAITING_FOR_NODE0))


def remount(machine: Machine, option: str) -> None:
    subprocess.run(["mount", "-o", f"remount,{option}", machine.files.at(STATE)], check=True)


def fill(machine: Machine) -> None:
    machine.files.at(BALLAST).write_bytes(bytes(200 << 10))


async def test_a_join_on_a_full_disk_goes_on_when_there_is_room(machine: Machine, board: StatusBoard) -> None:
    said = list[str]()

    async def say(words: str) -> None:
        said.append(words)
        (problem,) = board.status.problems
        assert (problem.code, "No space left on device" in problem.title) == ("disk-full", True)
        machine.files.at(BALLAST).unlink()

    async def work() -> None:
        if not said:
            fill(machine)
        machine.files.write(f"{STATE}/joined", bytes(100 << 10))

    await on_its_disk(machine, board, say, work)
    assert len(said) == 1
    assert "joined" in machine.files.names(STATE)
    assert board.status.problems == ()


async def test_a_join_that_waits_while_the_disk_fills_up_is_begun_again(machine: Machine, board: StatusBoard) -> None:
    """As kubeadm does for five minutes, after a kubelet that could not keep its certificate."""
    said, ended = list[str](), list[str]()

    async def say(words: str) -> None:
        said.append(words)
        machine.files.at(BALLAST).unlink()

    async def work() -> None:
        if said:
            return
        fill(machine)
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("kubeadm")

    async with asyncio.timeout(SECONDS):
        await on_its_disk(machine, board, say, work)
    assert ended == ["kubeadm"]
    assert [words.partition(":")[0] for words in said] == ["disk-full"]


async def test_a_program_that_failed_on_a_disk_that_cannot_be_written_is_no_failed_join(
    machine: Machine, board: StatusBoard
) -> None:
    said = list[str]()

    async def say(words: str) -> None:
        said.append(words)
        remount(machine, "rw")

    async def work() -> None:
        if not said:
            remount(machine, "ro")
            raise Problem(code="kubeadm-join-failed", title="kubeadm join failed on node1, 6 times.")

    await on_its_disk(machine, board, say, work)
    assert said == ["disk-error: The host cannot join, because its disk cannot be written: Read-only file system."]


async def test_a_join_that_fails_on_a_disk_that_works_has_failed(machine: Machine, board: StatusBoard) -> None:
    async def work() -> None:
        raise Problem(code="kubeadm-join-failed", title="kubeadm join failed on node1, 6 times.")

    async def say(_words: str) -> None: ...

    with pytest.raises(Problem, match="kubeadm-join-failed"):
        await on_its_disk(machine, board, say, work)
