"""The replies of steps, also after node0 has sent one twice."""

from __future__ import annotations

import asyncio
import shutil
import tarfile
from pathlib import Path

import msgspec
import pytest

from agent.api.steps import NtpReply, NtpSource, Step, StepReply, StepType
from agent.model.host_documents import AgentPhase, AgentStatus
from agent.model.problems import Problem
from agent.model.states import Stage
from agent.status import StatusBoard
from agent.steps.context import Context
from agent.steps.runner import Runner, perform
from agent.steps.table import TABLE, Row, Run
from tests.fakes.agent.machine import Programs, machine_in
from tests.fakes.inputs.intents import intent


@pytest.fixture
def context(tmp_path: Path) -> Context:
    machine = machine_in(tmp_path)
    board = StatusBoard(machine, AgentStatus(phase=AgentPhase.REGISTERED))

    async def report(stage: Stage, info: str) -> None:
        return None

    async def upload(archive: Path) -> None:
        shutil.copy(archive, tmp_path / "uploaded.tar.gz")

    async def stop(step_type: str) -> bool:
        return step_type == StepType.INSTALL

    return Context(machine=machine, intent=intent(), board=board, report=report, stop=stop, upload_logs=upload)


def step(*args: str, step_type: str = "try") -> Step:
    return Step(step_type=step_type, step_id=f"{step_type}-00000000", args=args)


async def _done(context: Context, step: Step) -> str:
    return "{}"


async def _problem(context: Context, step: Step) -> str:
    raise Problem(code="disk-too-small", title="/dev/vda is 1 GiB", remedy="Use a larger disk.")


async def _bug(context: Context, step: Step) -> str:
    raise KeyError("oops")


async def _too_long(context: Context, step: Step) -> str:
    await asyncio.sleep(60)
    return ""


async def _bad_argument(context: Context, step: Step) -> str:
    return str(msgspec.json.decode(step.args[0], type=int))


@pytest.mark.parametrize(
    ("run", "exit_code", "words"),
    [
        (_done, 0, ""),
        (_problem, 1, "disk-too-small: /dev/vda is 1 GiB\nUse a larger disk."),
        (_too_long, 1, "step-timeout: try did not end within 0.1 s"),
        (_bad_argument, -1, "try: bad argument"),
        (_bug, 70, "internal error: KeyError"),
    ],
)
async def test_every_end_of_a_step_is_a_reply(context: Context, run: Run, exit_code: int, words: str) -> None:
    reply = await perform(step("x"), context, {"try": Row(run, arguments=1, timeout=0.1)})
    assert (reply.exit_code, reply.step_type, reply.step_id) == (exit_code, "try", "try-00000000")
    assert words in reply.error
    assert reply.output == ("{}" if exit_code == 0 else "")


@pytest.mark.parametrize("step_type", ["tang-connectivity-check"])
async def test_an_unknown_step_is_answered(context: Context, step_type: str) -> None:
    reply = await perform(step(step_type=step_type), context, TABLE)
    assert (reply.exit_code, f"unknown step '{step_type}'" in reply.error) == (-1, True)


async def test_a_step_with_the_wrong_number_of_arguments_is_not_run(context: Context) -> None:
    reply = await perform(step("a", "b", step_type=StepType.INVENTORY), context, TABLE)
    assert (reply.exit_code, "1 argument(s) expected" in reply.error) == (-1, True)


async def test_a_step_that_is_still_running_is_not_started_again(context: Context) -> None:
    started = 0
    release = asyncio.Event()
    replies: list[StepReply] = []

    async def wait(context: Context, step: Step) -> str:
        nonlocal started
        started += 1
        await release.wait()
        return ""

    async def answer(reply: StepReply) -> None:
        replies.append(reply)

    async with asyncio.TaskGroup() as tasks:
        runner = Runner(tasks, {"try": Row(wait, arguments=0, timeout=10)})
        runner.start(step(), context, answer)
        runner.start(step(), context, answer)
        await asyncio.sleep(0)
        release.set()
    assert (started, len(replies)) == (1, 1)


async def test_the_wait_for_steps_ends_with_the_last_answer_or_in_time(context: Context) -> None:
    release = asyncio.Event()
    replies: list[StepReply] = []

    async def wait(context: Context, step: Step) -> str:
        await release.wait()
        return ""

    async def answer(reply: StepReply) -> None:
        replies.append(reply)

    async with asyncio.timeout(10), asyncio.TaskGroup() as tasks:
        runner = Runner(tasks, {"try": Row(wait, arguments=0, timeout=10)})
        await runner.wait(60)
        runner.start(step(), context, answer)
        await runner.wait(0)
        assert replies == []
        release.set()
        await runner.wait(60)
        assert len(replies) == 1


async def test_ntp_synchronizer_answers_with_sources(context: Context, tmp_path: Path) -> None:
    Programs(tmp_path / "bin").add("chronyc", "echo '^,*,192.0.2.1,2,6,377,23,0.0,0.0,0.0'")
    request = step('{"ntp_source": " 192.0.2.1 ,"}', step_type=StepType.NTP_SYNCHRONIZER)
    reply = await perform(request, context, TABLE)
    assert (reply.exit_code, reply.error) == (0, "")
    assert msgspec.json.decode(reply.output, type=NtpReply).ntp_sources == (
        NtpSource(source_name="192.0.2.1", source_state="synced"),
    )


async def test_logs_are_gathered_and_what_did_not_work_says_so(context: Context, tmp_path: Path) -> None:
    programs = Programs(tmp_path / "bin")
    programs.add("journalctl", "echo the last line of the installer")
    programs.add("lsblk", "echo lsblk failed >&2; exit 1")
    reply = await perform(step("{}", step_type=StepType.LOGS_GATHER), context, TABLE)
    assert (reply.exit_code, reply.error) == (0, "")
    with tarfile.open(tmp_path / "uploaded.tar.gz") as archive:
        files = {member.name.removeprefix("./"): archive.extractfile(member) for member in archive}
        content = {name: file.read().decode() for name, file in files.items() if file}
    assert content["journal/this-boot"] == "the last line of the installer\n"
    assert "network/devices" in content
    assert content["disks/block-devices"] == "lsblk failed\n"


async def test_the_stop_step_cancels_a_running_install(context: Context) -> None:
    """It sends no reply: node0 has cancelled the install."""
    started, replies = asyncio.Event(), []

    async def run_without_end(_context: Context, _step: Step) -> str:
        started.set()
        await asyncio.Event().wait()
        return ""

    async def answer(reply: StepReply) -> None:
        replies.append(reply)

    async with asyncio.TaskGroup() as tasks:
        runner = Runner(tasks, {"try": Row(run_without_end, arguments=0, timeout=60)})
        runner.start(step(), context, answer)
        await started.wait()
        assert await runner.stop("try")
        assert not await runner.stop("try"), "it has ended"
        assert not await runner.stop("another")
    assert replies == []


async def test_the_stop_step_unmounts_what_the_install_mounted(context: Context, tmp_path: Path) -> None:
    programs = Programs(tmp_path / "bin")
    programs.add("umount")
    left = context.machine.files.at("/run/cluster0/install/boot")
    context.machine.files.write("/proc/self/mountinfo", f"31 1 8:3 / {left} rw - ext4 /dev/sda3 rw\n")
    reply = await perform(step(step_type=StepType.STOP_INSTALLATION), context, TABLE)
    assert (reply.exit_code, reply.error) == (0, "")
    assert programs.calls == [f"umount {left}"]
    assert (context.board.status.phase, context.board.status.detail) == (
        AgentPhase.REGISTERED,
        "node0 stopped the install",
    )
